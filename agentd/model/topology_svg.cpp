#include "agentd/model/topology_svg.hpp"

#include "agentd/model/delay_colours.hpp"
#include "agentd/model/host_range.hpp"
#include "agentd/model/link_widths.hpp"
#include "agentd/model/svg_elements.hpp"
#include "agentd/model/topology_page.hpp"
#include "agentd/model/topology_query.hpp"
#include "agentd/model/topology_text.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

namespace trellis {
namespace {

constexpr double column = 170, row = 40, margin = 24, box_height = 26, glyph = 7.3;
constexpr std::size_t longest_label = 48;

std::string counted(std::size_t count) {
    return std::to_string(count) + (count == 1 ? " host" : " hosts");
}

class SvgDrawing {
  public:
    // `bandwidths`: by node, or none.
    SvgDrawing(const Topology& topology, std::vector<LinkDirections> bandwidths)
        : topology_(topology),
          query_(topology),
          colours_(topology),
          bandwidths_(std::move(bandwidths)),
          widths_(bandwidths_),
          place_(topology.node_count()),
          hosts_y_(topology.node_count()) {}

    std::string draw() {
        lay_out();
        for (const TopologyNode node : switches_)
            draw_switch(node);
        if (!topology_.links.empty()) draw_legend();
        const double height = static_cast<double>(rows_) * row + 2 * margin;
        const std::string size = svg_number(right_ + margin) + " " + svg_number(height);
        return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + svg_number(right_ + margin) +
               "\" height=\"" + svg_number(height) + "\" viewBox=\"0 0 " + size + "\">\n<style>\n" +
               std::string(topology_drawing_css) +
               "</style>\n<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n" + links_ + nodes_ +
               "</svg>\n";
    }

  private:
    [[nodiscard]] std::vector<TopologyNode> hosts_on(TopologyNode node) const {
        std::vector<TopologyNode> hosts;
        if (topology_.is_host(node)) hosts.push_back(node);  // the root, where there is no switch
        for (const TopologyNode child : query_.children(node))
            if (topology_.is_host(child)) hosts.push_back(child);
        return hosts;
    }

    // Parents before their children; a row for the hosts of each switch, and for a switch that has nothing
    // below.
    void lay_out() {
        const std::size_t name = std::min<std::size_t>(topology_.name(query_.root()).size(), 25);
        const double left = margin + std::max(16.0, glyph / 2 * static_cast<double>(name));
        std::vector<TopologyNode> open{query_.root()};
        while (!open.empty()) {
            const TopologyNode node = open.back();
            open.pop_back();
            switches_.push_back(node);
            place_[node].x = left + static_cast<double>(query_.depth(node)) * column;
            const auto children = query_.children(node);
            for (auto child = children.rbegin(); child != children.rend(); ++child)
                if (!topology_.is_host(*child)) open.push_back(*child);
            if (!hosts_on(node).empty() || children.empty())
                hosts_y_[node] = margin + (static_cast<double>(rows_++) + 0.5) * row;
        }
        for (auto node = switches_.rbegin(); node != switches_.rend(); ++node)
            place_[*node].y = middle_of_rows(*node);
    }

    [[nodiscard]] double middle_of_rows(TopologyNode node) const {
        double top = hosts_y_[node], bottom = top;
        for (const TopologyNode child : query_.children(node)) {
            if (topology_.is_host(child)) continue;
            if (top == 0) top = place_[child].y;
            bottom = place_[child].y;
        }
        return (top + bottom) / 2;
    }

    [[nodiscard]] double radius(TopologyNode node) const {
        return 5.5 + 0.55 * std::log2(1.0 + static_cast<double>(query_.hosts_below(node).size()));
    }

    void draw_link(SvgPoint from, SvgPoint to, const TopologyLink& link, double width,
                   const std::string& title) {
        const double bend = std::min(70.0, (to.x - from.x) / 2);
        links_ += "<path class=\"link" + std::string(is_doubtful(link) ? " doubtful" : "") + "\" stroke=\"" +
                  colours_.of(link.delay) + "\" stroke-width=\"" + svg_number(width) + "\" d=\"M" +
                  svg_number(from.x) + "," + svg_number(from.y) + "C" + svg_number(from.x + bend) + "," +
                  svg_number(from.y) + " " + svg_number(from.x + 0.3 * bend) + "," + svg_number(to.y) + " " +
                  svg_number(from.x + bend + 22) + "," + svg_number(to.y) + "H" + svg_number(to.x) +
                  "\"><title>" + xml_text(title) + "</title></path>\n";
    }

    void draw_text(const char* kind, SvgPoint at, const std::string& text) {
        nodes_ += "<text class=\"" + std::string(kind) + "\"" + svg_attributes({{"x", at.x}, {"y", at.y}}) +
                  ">" + xml_text(text) + "</text>\n";
    }

    void draw_switch(TopologyNode node) {
        const auto [x, y] = place_[node];
        const double r = radius(node);
        right_ = std::max(right_, x + r);
        if (node != query_.root()) draw_trunk(node);
        if (!hosts_on(node).empty()) draw_hosts(node);
        if (topology_.is_host(node)) return;
        const std::string name = topology_.name(node);
        nodes_ += "<g class=\"switch" + std::string(query_.is_mesh(node) ? " mesh" : "") + "\"><title>" +
                  xml_text(name + ": " + counted(query_.hosts_below(node).size()) + " below" +
                           (query_.is_mesh(node) ? ", no tree inside" : "")) +
                  "</title>" + svg_circle("body", {x, y}, r) +
                  (query_.is_mesh(node) ? mesh_sign({x, y}, r) : "") + "</g>\n";
        draw_text("name", {x, y - r - (query_.is_mesh(node) ? 9 : 5)}, shortened_text(name, 24));
    }

    // All to all among six corners, within a dashed ring.
    static std::string mesh_sign(SvgPoint at, double r) {
        const auto corner = [&](int i) {
            const double angle = i * std::numbers::pi / 3;
            return svg_number(at.x + (r - 1) * std::cos(angle)) + "," +
                   svg_number(at.y + (r - 1) * std::sin(angle));
        };
        std::string lines;
        for (int i = 0; i < 6; ++i)
            for (int j = i + 2; j < 6; ++j)
                lines += "M" + corner(i) + "L" + corner(j);
        return "<path d=\"" + lines + "\"/>" + svg_circle("ring", at, r + 4);
    }

    [[nodiscard]] double rate_of(TopologyNode node) const {
        return bandwidths_.empty() ? 0 : bandwidths_[node].least();
    }
    [[nodiscard]] std::string rate_note(TopologyNode node) const {
        return rate_of(node) > 0 ? ", " + bandwidth_text(bandwidths_[node]) : "";
    }
    // The slowest of those that are known.
    [[nodiscard]] TopologyNode slowest_of(const std::vector<TopologyNode>& hosts) const {
        return *std::ranges::min_element(hosts, {}, [&](TopologyNode host) {
            return rate_of(host) > 0 ? rate_of(host) : std::numeric_limits<double>::infinity();
        });
    }

    void draw_trunk(TopologyNode node) {
        const TopologyNode parent = query_.parent(node);
        const TopologyLink& link = query_.link_to_parent(node);
        const double end = place_[node].x - radius(node);
        const double width = widths_.of(rate_of(node), query_.hosts_below(node).size());
        draw_link(
            {place_[parent].x + radius(parent), place_[parent].y}, {end, place_[node].y}, link, width,
            topology_.name(parent) + " - " + topology_.name(node) + ": " + link_text(link) + rate_note(node));
        const double name =
            glyph / 2 * static_cast<double>(std::min<std::size_t>(topology_.name(node).size(), 10));
        const double text_end = place_[node].x - std::max(radius(node), name) - 6;
        draw_text("delay", {text_end, place_[node].y - 5 - width / 2},
                  delay_text(link.delay) + (rate_of(node) > 0 ? ", " + rate_text(rate_of(node)) : ""));
        if (is_doubtful(link))
            draw_text("delay", {text_end, place_[node].y + 14}, confidence_text(link.confidence));
    }

    void draw_hosts(TopologyNode node) {
        std::vector<std::string> names;
        std::vector<TopologyLink> links;
        for (const TopologyNode host : hosts_on(node)) {
            names.push_back(topology_.name(host));
            if (host != query_.root()) links.push_back(query_.link_to_parent(host));
        }
        const TopologyNode slowest = slowest_of(hosts_on(node));
        const std::string range = fold_hosts(names),
                          note = links.empty() ? "" : host_links_text(links) + rate_note(slowest);
        const SvgPoint at{place_[node].x + column - 56, hosts_y_[node]};
        if (!topology_.is_host(node)) {
            // The colour tells the longest of the delays, dashes that all are doubtful.
            TopologyLink link = *std::ranges::max_element(links, {}, &TopologyLink::delay);
            link.confidence = std::ranges::max_element(links, {}, &TopologyLink::confidence)->confidence;
            draw_link({place_[node].x + radius(node), place_[node].y}, at, link,
                      widths_.of(rate_of(slowest), links.size()), range + ": " + note);
        }
        draw_box(at, range, note, std::ranges::any_of(links, is_doubtful));
    }

    void draw_box(SvgPoint at, const std::string& range, const std::string& note, bool doubtful) {
        const std::string title = shortened_text(range, longest_label);
        const double width =
            32 + glyph * static_cast<double>(character_count(title)) + 6.7 * static_cast<double>(note.size());
        nodes_ += "<g class=\"group" + std::string(doubtful ? " doubtful-hosts" : "") + "\"><title>" +
                  xml_text(range) + "</title><rect" +
                  svg_attributes({{"x", at.x},
                                  {"y", at.y - box_height / 2},
                                  {"width", width},
                                  {"height", box_height},
                                  {"rx", 6}}) +
                  "/><text" + svg_attributes({{"x", at.x + 10}, {"y", at.y + 5}}) + ">" + xml_text(title) +
                  "<tspan class=\"dim\" dx=\"12\">" + xml_text(note) + "</tspan></text></g>\n";
        right_ = std::max(right_, at.x + width);
    }

    // What the tree shows and does not say itself.
    void draw_legend() {
        const double y = margin + (static_cast<double>(rows_++) + 0.6) * row;
        double x = margin;
        const auto say = [&](const std::string& text) {
            draw_text("dim", {x, y + 4}, text);
            x += 6.7 * static_cast<double>(text.size()) + 24;
            right_ = std::max(right_, x);
        };
        const auto line = [&](const TopologyLink& link) {
            draw_link({x, y}, {x + 40, y}, link, 2.6, link_text(link));
            x += 48;
        };
        for (const Delay delay : colours_.range()) {
            line({0, 0, delay});
            say(delay_text(delay));
        }
        for (const double rate : widths_.range()) {
            draw_link({x, y}, {x + 40, y}, {0, 0, topology_.links.front().delay}, widths_.of(rate, 0),
                      rate_text(rate));
            x += 48;
            say(rate_text(rate));
        }
        const auto doubtful = std::ranges::find_if(topology_.links, is_doubtful);
        if (doubtful != topology_.links.end()) {
            line(*doubtful);
            say("less than 95% sure");
        }
        if (topology_.meshes.empty()) return;
        nodes_ += "<g class=\"switch mesh\">" + svg_circle("body", {x + 12, y}, 9) +
                  mesh_sign({x + 12, y}, 9) + "</g>\n";
        x += 32;
        say("no tree inside");
    }

    const Topology& topology_;
    TopologyQuery query_;
    DelayColours colours_;
    std::vector<LinkDirections> bandwidths_;
    LinkWidths widths_;
    std::vector<TopologyNode> switches_;
    std::vector<SvgPoint> place_;
    std::vector<double> hosts_y_;  // 0: none
    std::size_t rows_ = 0;
    double right_ = 0;
    std::string links_, nodes_;
};

std::string drawing_of(const Topology& topology, std::vector<LinkDirections> bandwidths) {
    if (topology.hosts.empty())
        return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1\" height=\"1\"/>\n";
    return SvgDrawing(topology, std::move(bandwidths)).draw();
}

}  // namespace

std::string topology_svg(const Topology& topology) {
    return drawing_of(topology, {});
}

std::string topology_svg(const TopologyBandwidth& tree) {
    return drawing_of(tree.topology, bandwidths_by_node(tree));
}

}  // namespace trellis
