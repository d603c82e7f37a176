#include "agentd/model/topology_page.hpp"

#include "agentd/model/host_range.hpp"
#include "agentd/model/topology_query.hpp"

#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace trellis {
namespace {

using nlohmann::json;

// The data of the page, as its script describes it.
class PageData {
  public:
    // `bandwidths`: by node, or none.
    PageData(const Topology& topology, std::vector<LinkDirections> bandwidths)
        : topology_(topology), query_(topology), bandwidths_(std::move(bandwidths)) {}

    json switches() {
        if (topology_.is_host(query_.root())) return json::array({without_switch()});
        json list = json::array();
        std::vector<std::pair<TopologyNode, std::size_t>> open{
            {query_.root(), 0}};  // with the parent's index
        while (!open.empty()) {
            const auto [node, parent] = open.back();
            open.pop_back();
            const auto children = query_.children(node);
            for (auto child = children.rbegin(); child != children.rend(); ++child)
                if (!topology_.is_host(*child)) open.emplace_back(*child, list.size());
            list.push_back(data_of(node, parent));
        }
        return list;
    }

  private:
    // The delay of the link of a node to its parent, and what else is known, as far as anything is.
    void append_link(json& list, TopologyNode node) const {
        const TopologyLink& link = query_.link_to_parent(node);
        const double rate = bandwidths_.empty() ? 0 : bandwidths_[node].least();
        list.push_back(link.delay.count());
        if (link.confidence == 1 && link.standard_error == Delay{0} && rate == 0) return;
        list.push_back(link.confidence);
        if (link.standard_error == Delay{0} && rate == 0) return;
        list.push_back(link.standard_error.count());
        if (rate > 0) list.push_back(json::array({rate, bandwidth_text(bandwidths_[node])}));
    }

    json data_of(TopologyNode node, std::size_t parent) const {
        json data{{"name", topology_.name(node)}};
        if (query_.is_mesh(node)) data["mesh"] = true;
        if (node != query_.root()) {
            data["parent"] = parent;
            append_link(data["link"], node);
        }
        std::vector<std::string> names;
        for (const TopologyNode child : query_.children(node)) {
            if (!topology_.is_host(child)) continue;
            names.push_back(topology_.name(child));
            data["hosts"].push_back(json::array({names.back()}));
            append_link(data["hosts"].back(), child);
        }
        if (!names.empty()) data["range"] = fold_hosts(names);
        return data;
    }

    // One host, or two that are joined directly: both hang on the link, neither on a switch.
    json without_switch() const {
        json data = data_of(query_.root(), 0);
        json hosts = json::array({json::array({topology_.hosts[query_.root()]})});
        for (const json& other : data["hosts"])
            hosts.push_back(other);
        data["hosts"] = std::move(hosts);
        data["range"] = fold_hosts(topology_.hosts);
        data["name"] = topology_.hosts.size() == 1 ? "one host" : "direct";
        data["direct"] = true;
        return data;
    }

    const Topology& topology_;
    TopologyQuery query_;
    std::vector<LinkDirections> bandwidths_;
};

json data_of_page(const Topology& topology, std::vector<LinkDirections> bandwidths) {
    if (topology.node_count() == 0) return json::array({{{"name", "no hosts"}, {"direct", true}}});
    return PageData(topology, std::move(bandwidths)).switches();
}

// JSON in which nothing ends or begins an element of HTML.
std::string in_script(const json& data) {
    std::string text;
    for (const char c : data.dump(-1, ' ', false, json::error_handler_t::replace))
        if (c == '<')
            text += "\\u003c";
        else
            text += c;
    return text;
}

std::string script_of_page() {
    std::string script;
    for (const std::string_view part :
         {topology_page_data_js, topology_page_layout_js, topology_page_elements_js, topology_page_view_js,
          topology_page_controls_js})
        script += part;
    return script;
}

std::string page_of(const json& switches) {
    std::string page(topology_page_html);
    const auto fill = [&](std::string_view place, std::string_view text) {
        page.replace(page.find(place), place.size(), text);
    };
    fill("{{drawing}}", topology_drawing_css);
    fill("{{script}}", script_of_page());
    fill("{{data}}", in_script({{"switches", switches}}));
    return page;
}

}  // namespace

std::string topology_page(const Topology& topology) {
    return page_of(data_of_page(topology, {}));
}

std::string topology_page(const TopologyBandwidth& tree) {
    return page_of(data_of_page(tree.topology, bandwidths_by_node(tree)));
}

}  // namespace trellis
