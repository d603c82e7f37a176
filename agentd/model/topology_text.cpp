#include "agentd/model/topology_text.hpp"

#include "agentd/model/host_range.hpp"
#include "agentd/model/topology_query.hpp"

#include <algorithm>
#include <cstdio>
#include <string_view>
#include <utility>
#include <vector>

namespace trellis {
namespace {

struct Strokes {
    std::string_view branch, last_branch, trunk, gap;
};
constexpr Strokes utf8_strokes{"├── ", "└── ", "│   ", "    "};
constexpr Strokes ascii_strokes{"|-- ", "`-- ", "|   ", "    "};

struct Unit {
    double divisor;
    const char* name;
};

Unit unit_of(Delay delay) {
    if (delay.count() < 999.5) return {1, "us"};
    if (delay.count() < 999.5e3) return {1e3, "ms"};
    return {1e6, "s"};
}

std::string three_digits(double number) {
    char text[32];
    const int decimals = number == 0 || number >= 99.95 ? 0 : number >= 9.995 ? 1 : 2;
    std::snprintf(text, sizeof text, "%.*f", decimals, number);
    return text;
}

std::string delay_range_text(Delay low, Delay high) {
    const Unit unit = unit_of(high);
    const std::string from = three_digits(low.count() / unit.divisor);
    const std::string to = three_digits(high.count() / unit.divisor);
    return (from == to ? to : from + "-" + to) + " " + unit.name;
}

// What stands on one line below a switch: a switch, or hosts of similar delay.
struct Line {
    std::string text;
    TopologyNode node = 0;
    bool is_switch = false;
};

class TreeDrawing {
  public:
    TreeDrawing(const Topology& topology, const Strokes& strokes)
        : topology_(topology), query_(topology), strokes_(strokes) {}

    std::string draw() {
        text_ = topology_.name(query_.root()) + "\n";
        std::vector<Open> open{{lines_below(query_.root()), 0, ""}};
        while (!open.empty()) {
            if (open.back().next == open.back().lines.size()) {
                open.pop_back();
                continue;
            }
            draw_next(open);
        }
        return std::move(text_);
    }

  private:
    struct Open {
        std::vector<Line> lines;
        std::size_t next = 0;
        std::string indent;
    };

    void draw_next(std::vector<Open>& open) {
        Open& top = open.back();
        const Line line = top.lines[top.next++];
        const bool last = top.next == top.lines.size();
        text_ += top.indent;
        text_ += last ? strokes_.last_branch : strokes_.branch;
        text_ += line.text + "\n";
        if (!line.is_switch) return;
        std::string indent = top.indent;
        indent += last ? strokes_.gap : strokes_.trunk;
        open.push_back({lines_below(line.node), 0, std::move(indent)});
    }

    std::vector<Line> lines_below(TopologyNode node) const {
        std::vector<Line> lines = host_lines(node);
        for (const TopologyNode child : query_.children(node))
            if (!topology_.is_host(child))
                lines.push_back(
                    {topology_.name(child) + "  " + delay_text(query_.delay_to_parent(child)), child, true});
        return lines;
    }

    std::vector<Line> host_lines(TopologyNode node) const {
        std::vector<TopologyNode> hosts;
        for (const TopologyNode child : query_.children(node))
            if (topology_.is_host(child)) hosts.push_back(child);
        std::ranges::stable_sort(hosts, {}, [&](TopologyNode host) { return query_.delay_to_parent(host); });
        std::vector<Line> lines;
        for (auto first = hosts.begin(); first != hosts.end();) {
            const Delay least = query_.delay_to_parent(*first);
            const Delay most = std::max(least * 1.5, least + Delay{1});
            const auto last = std::find_if(
                first, hosts.end(), [&](TopologyNode host) { return query_.delay_to_parent(host) > most; });
            lines.push_back({host_line({first, last}), *first, false});
            first = last;
        }
        return lines;
    }

    std::string host_line(std::vector<TopologyNode> hosts) const {
        const Delay low = query_.delay_to_parent(hosts.front());
        const Delay high = query_.delay_to_parent(hosts.back());
        std::vector<std::string> names;
        names.reserve(hosts.size());
        for (const TopologyNode host : hosts)
            names.push_back(topology_.name(host));
        const std::string count = hosts.size() == 1 ? "" : std::to_string(hosts.size()) + " hosts, ";
        return fold_hosts(names) + "  " + count + delay_range_text(low, high);
    }

    const Topology& topology_;
    TopologyQuery query_;
    const Strokes& strokes_;
    std::string text_;
};

}  // namespace

std::string delay_text(Delay delay) {
    return delay_range_text(delay, delay);
}

std::string topology_text(const Topology& topology, LineDrawing lines) {
    if (topology.node_count() == 0) return "(no hosts)\n";
    return TreeDrawing(topology, lines == LineDrawing::utf8 ? utf8_strokes : ascii_strokes).draw();
}

}  // namespace trellis
