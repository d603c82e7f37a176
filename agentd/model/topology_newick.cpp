#include "agentd/model/topology_newick.hpp"

#include "agentd/model/topology_query.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <vector>

namespace trellis {
namespace {

// Newick: words need quotes if they hold anything with a meaning of its own; a quote is doubled.
std::string newick_word(const std::string& name) {
    const auto plain = [](unsigned char c) { return std::isalnum(c) != 0 || c == '.' || c == '-'; };
    if (std::ranges::all_of(name, plain)) return name;
    std::string quoted = "'";
    for (const char c : name)
        quoted += c == '\'' ? std::string("''") : std::string(1, c);
    return quoted + "'";
}

std::string number(Delay delay) {
    char digits[32];
    const auto end = std::to_chars(digits, digits + sizeof digits, delay.count()).ptr;
    return {digits, end};
}

class NewickWriter {
  public:
    explicit NewickWriter(const Topology& topology) : topology_(topology), query_(topology) {}

    std::string write() {
        std::vector<std::size_t> next_child(topology_.node_count(), 0);
        std::vector<TopologyNode> open{query_.root()};
        while (!open.empty()) {
            const TopologyNode node = open.back();
            const auto children = query_.children(node);
            if (next_child[node] < children.size()) {
                text_ += next_child[node] == 0 ? '(' : ',';
                open.push_back(children[next_child[node]++]);
                continue;
            }
            close(node);
            open.pop_back();
        }
        return text_ + ";\n";
    }

  private:
    void close(TopologyNode node) {
        if (!query_.children(node).empty()) text_ += ')';
        text_ += newick_word(topology_.name(node));
        if (node != query_.root()) text_ += ':' + number(query_.delay_to_parent(node));
    }

    const Topology& topology_;
    TopologyQuery query_;
    std::string text_;
};

}  // namespace

std::string topology_newick(const Topology& topology) {
    return topology.node_count() == 0 ? ";\n" : NewickWriter(topology).write();
}

}  // namespace trellis
