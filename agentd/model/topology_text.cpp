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

const Strokes& strokes_of(LineDrawing lines) {
    return lines == LineDrawing::utf8 ? utf8_strokes : ascii_strokes;
}

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

std::string confidence_range_text(double low, double high) {
    const auto percent = [](double confidence) {
        return std::to_string(static_cast<int>(confidence * 100 + 1e-9));
    };
    const std::string from = percent(low), to = percent(high);
    return (from == to ? to : from + "-" + to) + "% sure";
}

// What stands on one line below a switch: a switch, or hosts of similar delay.
struct Line {
    std::string text;
    TopologyNode node = 0;
    bool is_switch = false;
};

// The delays, and how sure the links are.
class DelayWords final : public LinkWords {
  public:
    explicit DelayWords(const TopologyQuery& query) : query_(query) {}

    [[nodiscard]] std::string of_switch(TopologyNode node) const override {
        const TopologyLink& link = query_.link_to_parent(node);
        return delay_text(link.delay) + (is_doubtful(link) ? ", " + confidence_text(link.confidence) : "");
    }
    [[nodiscard]] std::string of_hosts(std::span<const TopologyNode> hosts) const override {
        std::vector<TopologyLink> links;
        for (const TopologyNode host : hosts)
            links.push_back(query_.link_to_parent(host));
        return host_links_text(links);
    }
    [[nodiscard]] bool before(TopologyNode host, TopologyNode other) const override {
        return key(host) < key(other);
    }
    [[nodiscard]] bool alike(TopologyNode host, TopologyNode later) const override {
        const Delay least = query_.delay_to_parent(host);
        return query_.delay_to_parent(later) <= std::max(least * 1.5, least + Delay{1}) &&
               doubtful(later) == doubtful(host);
    }

  private:
    [[nodiscard]] bool doubtful(TopologyNode host) const { return is_doubtful(query_.link_to_parent(host)); }
    [[nodiscard]] std::pair<bool, Delay> key(TopologyNode host) const {
        return {doubtful(host), query_.delay_to_parent(host)};
    }

    const TopologyQuery& query_;
};

class TreeDrawing {
  public:
    TreeDrawing(const Topology& topology, const TopologyQuery& query, const LinkWords& words,
                const Strokes& strokes)
        : topology_(topology), query_(query), words_(words), strokes_(strokes) {}

    std::string draw() {
        text_ = node_text(query_.root()) + "\n";
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
            if (!topology_.is_host(child)) lines.push_back({switch_line(child), child, true});
        return lines;
    }

    std::string node_text(TopologyNode node) const {
        return topology_.name(node) + (query_.is_mesh(node) ? " (no tree inside)" : "");
    }

    std::string switch_line(TopologyNode node) const {
        return node_text(node) + "  " + words_.of_switch(node);
    }

    std::vector<Line> host_lines(TopologyNode node) const {
        std::vector<TopologyNode> hosts;
        for (const TopologyNode child : query_.children(node))
            if (topology_.is_host(child)) hosts.push_back(child);
        std::ranges::stable_sort(hosts, [&](auto one, auto other) { return words_.before(one, other); });
        std::vector<Line> lines;
        for (auto first = hosts.begin(); first != hosts.end();) {
            const auto last = std::find_if(first, hosts.end(),
                                           [&](TopologyNode host) { return !words_.alike(*first, host); });
            lines.push_back({host_line({first, last}), *first, false});
            first = last;
        }
        return lines;
    }

    std::string host_line(const std::vector<TopologyNode>& hosts) const {
        std::vector<std::string> names;
        for (const TopologyNode host : hosts)
            names.push_back(topology_.name(host));
        return fold_hosts(names) + "  " + words_.of_hosts(hosts);
    }

    const Topology& topology_;
    const TopologyQuery& query_;
    const LinkWords& words_;
    const Strokes& strokes_;
    std::string text_;
};

}  // namespace

std::string delay_text(Delay delay) {
    return delay_range_text(delay, delay);
}

std::string confidence_text(double confidence) {
    return confidence_range_text(confidence, confidence);
}

std::string host_links_text(std::span<const TopologyLink> links) {
    const auto [nearest, farthest] = std::ranges::minmax_element(links, {}, &TopologyLink::delay);
    const auto [least, most] = std::ranges::minmax_element(links, {}, &TopologyLink::confidence);
    std::string text = links.size() == 1 ? "" : std::to_string(links.size()) + " hosts, ";
    text += delay_range_text(nearest->delay, farthest->delay);
    if (is_doubtful(*least)) text += ", " + confidence_range_text(least->confidence, most->confidence);
    return text;
}

std::string link_text(const TopologyLink& link) {
    std::string text = delay_text(link.delay);
    if (link.standard_error > Delay{0}) text += " ± " + delay_text(link.standard_error);
    if (link.confidence < 1) text += ", " + confidence_text(link.confidence);
    return text;
}

std::string topology_text(const Topology& topology, LineDrawing lines) {
    if (topology.node_count() == 0) return "(no hosts)\n";
    const TopologyQuery query(topology);
    const DelayWords words(query);
    return TreeDrawing(topology, query, words, strokes_of(lines)).draw();
}

std::string topology_text(const Topology& topology, const LinkWords& words, LineDrawing lines) {
    if (topology.node_count() == 0) return "(no hosts)\n";
    const TopologyQuery query(topology);
    return TreeDrawing(topology, query, words, strokes_of(lines)).draw();
}

}  // namespace trellis
