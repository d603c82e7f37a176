#include "agentd/model/topology_svg.hpp"

#include "agentd/model/host_range.hpp"
#include "agentd/model/topology_page.hpp"
#include "agentd/model/topology_query.hpp"
#include "agentd/model/topology_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace trellis {
namespace {

constexpr double column = 170, row = 38, margin = 24, box_height = 26, glyph = 7.3;
constexpr std::size_t longest_label = 48;

struct Point {
    double x = 0, y = 0;
};

std::string number(double value) {
    char digits[32];
    const auto end = std::to_chars(digits, digits + sizeof digits, value, std::chars_format::fixed, 1).ptr;
    return {digits, end};
}

std::string attributes(std::initializer_list<std::pair<const char*, double>> list) {
    std::string text;
    for (const auto& [name, value] : list)
        text += std::string(" ") + name + "=\"" + number(value) + "\"";
    return text;
}

std::string circle(const char* kind, Point at, double r) {
    return "<circle class=\"" + std::string(kind) + "\"" +
           attributes({{"cx", at.x}, {"cy", at.y}, {"r", r}}) + "/>";
}

// Any bytes as text of XML: what is no UTF-8 or no character of XML is replaced.
std::string xml_text(const std::string& bytes) {
    using nlohmann::json;
    const std::string quoted = json(bytes).dump(-1, ' ', false, json::error_handler_t::replace);
    const auto utf8 = json::parse(quoted).get<std::string>();
    std::string text;
    for (std::size_t i = 0; i < utf8.size(); ++i) {
        const auto c = static_cast<unsigned char>(utf8[i]);
        const bool noncharacter =
            utf8.compare(i, 2, "\xef\xbf") == 0 && i + 2 < utf8.size() && utf8[i + 2] >= '\xbe';
        if (c == '<')
            text += "&lt;";
        else if (c == '>')
            text += "&gt;";
        else if (c == '&')
            text += "&amp;";
        else if (c == '"')
            text += "&quot;";
        else if (c < 0x20 || c == 0x7f)
            text += "\xef\xbf\xbd";
        else if (noncharacter) {
            text += "\xef\xbf\xbd";
            i += 2;
        } else
            text += utf8[i];
    }
    return text;
}

// At most that many characters, of which a longer text shows the first.
std::string shortened(const std::string& text, std::size_t most = longest_label) {
    std::size_t characters = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if ((static_cast<unsigned char>(text[i]) & 0xc0) == 0x80) continue;
        if (++characters > most) return text.substr(0, i) + "…";
    }
    return text;
}

std::string counted(std::size_t count) {
    return std::to_string(count) + (count == 1 ? " host" : " hosts");
}

// Teal for the shortest delay, over amber, to red for the longest, by their logarithm.
class DelayColours {
  public:
    explicit DelayColours(const Topology& topology) {
        for (const TopologyLink& link : topology.links) {
            if (link.delay <= Delay{0}) continue;
            shortest_ = std::min(shortest_, link.delay);
            longest_ = std::max(longest_, link.delay);
        }
    }

    [[nodiscard]] std::string of(Delay delay) const {
        const double at = delay > shortest_ && longest_ > shortest_
                              ? 2 * std::log(delay / shortest_) / std::log(longest_ / shortest_)
                              : 0;
        constexpr std::array<std::array<double, 3>, 3> stops{{{31, 150, 136}, {222, 160, 20}, {205, 60, 75}}};
        const std::size_t from = at < 1 ? 0 : 1;
        std::string text = "#";
        for (std::size_t i = 0; i < 3; ++i) {
            const double part = at - static_cast<double>(from);
            const auto value =
                static_cast<unsigned>(stops[from][i] + part * (stops[from + 1][i] - stops[from][i]) + 0.5);
            text += "0123456789abcdef"[value / 16 % 16];
            text += "0123456789abcdef"[value % 16];
        }
        return text;
    }

  private:
    Delay shortest_{std::numeric_limits<double>::infinity()}, longest_{0};
};

class SvgDrawing {
  public:
    explicit SvgDrawing(const Topology& topology)
        : topology_(topology),
          query_(topology),
          colours_(topology),
          place_(topology.node_count()),
          hosts_y_(topology.node_count()) {}

    std::string draw() {
        lay_out();
        for (const TopologyNode node : switches_)
            draw_switch(node);
        const double height = static_cast<double>(rows_) * row + 2 * margin;
        const std::string size = number(right_ + margin) + " " + number(height);
        return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + number(right_ + margin) +
               "\" height=\"" + number(height) + "\" viewBox=\"0 0 " + size + "\">\n<style>\n" +
               std::string(topology_drawing_css) + "</style>\n" + links_ + nodes_ + "</svg>\n";
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
        std::vector<TopologyNode> open{query_.root()};
        while (!open.empty()) {
            const TopologyNode node = open.back();
            open.pop_back();
            switches_.push_back(node);
            place_[node].x = margin + 16 + static_cast<double>(query_.depth(node)) * column;
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
        return 6 + 0.75 * std::log2(1.0 + static_cast<double>(query_.hosts_below(node).size()));
    }

    void draw_link(Point from, Point to, const TopologyLink& link, std::size_t hosts,
                   const std::string& title) {
        const double bend = std::min(70.0, (to.x - from.x) / 2);
        links_ += "<path class=\"link" + std::string(is_doubtful(link) ? " doubtful" : "") + "\" stroke=\"" +
                  colours_.of(link.delay) + "\" stroke-width=\"" +
                  number(1.5 + 0.35 * std::log2(1.0 + static_cast<double>(hosts))) + "\" d=\"M" +
                  number(from.x) + "," + number(from.y) + "C" + number(from.x + bend) + "," + number(from.y) +
                  " " + number(from.x + 0.3 * bend) + "," + number(to.y) + " " + number(from.x + bend + 22) +
                  "," + number(to.y) + "H" + number(to.x) + "\"><title>" + xml_text(title) +
                  "</title></path>\n";
    }

    void draw_text(const char* kind, Point at, const std::string& text) {
        nodes_ += "<text class=\"" + std::string(kind) + "\"" + attributes({{"x", at.x}, {"y", at.y}}) + ">" +
                  xml_text(text) + "</text>\n";
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
                  "</title>" + circle("body", {x, y}, r) +
                  (query_.is_mesh(node) ? mesh_sign({x, y}, r) : "") + "</g>\n";
        draw_text("name", {x, y - r - (query_.is_mesh(node) ? 9 : 5)}, shortened(name, 24));
    }

    // All to all among six corners, within a dashed ring.
    static std::string mesh_sign(Point at, double r) {
        const auto corner = [&](int i) {
            const double angle = i * std::numbers::pi / 3;
            return number(at.x + (r - 1) * std::cos(angle)) + "," + number(at.y + (r - 1) * std::sin(angle));
        };
        std::string lines;
        for (int i = 0; i < 6; ++i)
            for (int j = i + 2; j < 6; ++j)
                lines += "M" + corner(i) + "L" + corner(j);
        return "<path d=\"" + lines + "\"/>" + circle("ring", at, r + 4);
    }

    void draw_trunk(TopologyNode node) {
        const TopologyNode parent = query_.parent(node);
        const TopologyLink& link = query_.link_to_parent(node);
        const double end = place_[node].x - radius(node);
        draw_link({place_[parent].x + radius(parent), place_[parent].y}, {end, place_[node].y}, link,
                  query_.hosts_below(node).size(),
                  topology_.name(parent) + " - " + topology_.name(node) + ": " + link_text(link));
        draw_text("delay", {end - 8, place_[node].y - 5}, delay_text(link.delay));
        if (is_doubtful(link))
            draw_text("delay", {end - 8, place_[node].y + 13}, confidence_text(link.confidence));
    }

    void draw_hosts(TopologyNode node) {
        std::vector<std::string> names;
        std::vector<TopologyLink> links;
        for (const TopologyNode host : hosts_on(node)) {
            names.push_back(topology_.name(host));
            if (host != query_.root()) links.push_back(query_.link_to_parent(host));
        }
        const std::string range = fold_hosts(names), note = links.empty() ? "" : host_links_text(links);
        const Point at{place_[node].x + column - 56, hosts_y_[node]};
        if (!topology_.is_host(node)) {
            // The colour tells the longest of the delays, dashes that all are doubtful.
            TopologyLink link = *std::ranges::max_element(links, {}, &TopologyLink::delay);
            link.confidence = std::ranges::max_element(links, {}, &TopologyLink::confidence)->confidence;
            draw_link({place_[node].x + radius(node), place_[node].y}, at, link, links.size(),
                      range + ": " + note);
        }
        draw_box(at, range, note, std::ranges::any_of(links, is_doubtful));
    }

    void draw_box(Point at, const std::string& range, const std::string& note, bool doubtful) {
        const std::string title = shortened(range);
        const double width =
            32 + glyph * static_cast<double>(title.size()) + 6.7 * static_cast<double>(note.size());
        nodes_ += "<g class=\"group" + std::string(doubtful ? " doubtful-hosts" : "") + "\"><title>" +
                  xml_text(range) + "</title><rect" +
                  attributes({{"x", at.x},
                              {"y", at.y - box_height / 2},
                              {"width", width},
                              {"height", box_height},
                              {"rx", 6}}) +
                  "/><text" + attributes({{"x", at.x + 10}, {"y", at.y + 5}}) + ">" + xml_text(title) +
                  "<tspan class=\"dim\" dx=\"12\">" + xml_text(note) + "</tspan></text></g>\n";
        right_ = std::max(right_, at.x + width);
    }

    const Topology& topology_;
    TopologyQuery query_;
    DelayColours colours_;
    std::vector<TopologyNode> switches_;
    std::vector<Point> place_;
    std::vector<double> hosts_y_;  // 0: none
    std::size_t rows_ = 0;
    double right_ = 0;
    std::string links_, nodes_;
};

}  // namespace

std::string topology_svg(const Topology& topology) {
    if (topology.hosts.empty())
        return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1\" height=\"1\"/>\n";
    return SvgDrawing(topology).draw();
}

}  // namespace trellis
