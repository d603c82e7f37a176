// The tree as a subset of its hosts sees it, and hosts grouped by their switch.
#include "agentd/model/topology_adjacency.hpp"
#include "agentd/model/topology_query.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

namespace trellis {
namespace {

constexpr TopologyNode nowhere = static_cast<TopologyNode>(-1);

using NumberedHosts = std::vector<TopologyNode>;

Result<NumberedHosts> number_hosts(const Topology& topology, std::span<const std::string> names) {
    std::unordered_map<std::string_view, TopologyNode> by_name;
    for (TopologyNode host = 0; host < topology.hosts.size(); ++host)
        by_name[topology.hosts[host]] = host;
    NumberedHosts numbers;
    for (const std::string& name : names) {
        const auto found = by_name.find(name);
        if (found == by_name.end())
            return Failure{FailureKind::unavailable, "topology", name,
                           "not in the topology: run infer for these hosts"};
        if (found->second == nowhere)
            return Failure{FailureKind::invalid, "topology", name, "the host is named twice"};
        numbers.push_back(std::exchange(found->second, nowhere));
    }
    return numbers;
}

bool ends_at_host(const Topology& topology, const TopologyLink& link) {
    return topology.is_host(link.a) || topology.is_host(link.b);
}

// One link in place of a chain of them, which is not empty; the ends are for the caller to set.
TopologyLink splice(const Topology& topology, std::span<const TopologyLink> chain) {
    TopologyLink whole = chain.front();
    bool at_host = ends_at_host(topology, whole);
    for (const TopologyLink& part : chain.subspan(1)) {
        whole.delay += part.delay;
        whole.standard_error = Delay{std::hypot(whole.standard_error.count(), part.standard_error.count())};
        const bool part_at_host = ends_at_host(topology, part);
        if (at_host && part_at_host)
            whole.confidence = std::min(whole.confidence, part.confidence);
        else if (at_host == part_at_host)
            whole.confidence = std::max(whole.confidence, part.confidence);
        else if (part_at_host)
            whole.confidence = part.confidence;
        at_host = at_host || part_at_host;
    }
    return whole;
}

// Walks the tree from one kept host. A switch is kept where at least two of its branches lead to kept hosts,
// not counting the one that leads back.
class Projection {
  public:
    Projection(const Topology& topology, const NumberedHosts& hosts)
        : topology_(topology), adjacency_(topology), new_number_(topology.node_count(), nowhere) {
        for (const TopologyNode host : hosts) {
            new_number_[host] = static_cast<TopologyNode>(result_.hosts.size());
            result_.hosts.push_back(topology.hosts[host]);
        }
        if (hosts.size() < 2) return;
        walk(hosts.front());
        number_switches();
        connect(hosts.front());
    }

    Topology take() { return std::move(result_); }

  private:
    void walk(TopologyNode start) {
        parent_.assign(topology_.node_count(), nowhere);
        branches_.assign(topology_.node_count(), 0);
        link_up_.assign(topology_.node_count(), 0);
        order_ = {start};
        for (std::size_t i = 0; i < order_.size(); ++i)
            for (const TopologyNeighbour& next : adjacency_.neighbours(order_[i])) {
                if (next.node == parent_[order_[i]]) continue;
                parent_[next.node] = order_[i];
                link_up_[next.node] = next.link;
                order_.push_back(next.node);
            }
        for (std::size_t i = order_.size(); --i > 0;)
            if (branches_[order_[i]] > 0 || new_number_[order_[i]] != nowhere)
                ++branches_[parent_[order_[i]]];
    }

    void number_switches() {
        for (auto node = static_cast<TopologyNode>(topology_.hosts.size()); node < topology_.node_count();
             ++node) {
            if (branches_[node] < 2) continue;
            new_number_[node] = static_cast<TopologyNode>(result_.node_count());
            result_.switches.push_back(topology_.name(node));
            if (std::ranges::binary_search(topology_.meshes, node))
                result_.meshes.push_back(new_number_[node]);
        }
    }

    void connect(TopologyNode start) {
        for (const TopologyNode node : order_) {
            if (node == start || new_number_[node] == nowhere) continue;
            std::vector<TopologyLink> chain{topology_.links[link_up_[node]]};
            TopologyNode up = parent_[node];
            for (; new_number_[up] == nowhere; up = parent_[up])
                chain.push_back(topology_.links[link_up_[up]]);
            TopologyLink link = splice(topology_, chain);
            link.a = new_number_[up];
            link.b = new_number_[node];
            result_.links.push_back(link);
        }
    }

    const Topology& topology_;
    TopologyAdjacency adjacency_;
    std::vector<TopologyNode> new_number_;
    std::vector<TopologyNode> parent_, order_;
    std::vector<std::size_t> branches_, link_up_;
    Topology result_;
};

}  // namespace

Result<Topology> project(const Topology& topology, std::span<const std::string> hosts) {
    const Result<NumberedHosts> numbers = number_hosts(topology, hosts);
    if (!numbers) return numbers.error();
    return Projection(topology, *numbers).take();
}

Topology visible_part(const Topology& topology) {
    NumberedHosts all(topology.hosts.size());
    for (TopologyNode host = 0; host < all.size(); ++host)
        all[host] = host;
    return Projection(topology, all).take();
}

std::vector<std::vector<TopologyNode>> groups_by_switch(const Topology& topology) {
    const TopologyAdjacency adjacency(topology);
    std::map<TopologyNode, std::vector<TopologyNode>> by_switch;
    for (TopologyNode host = 0; host < topology.hosts.size(); ++host) {
        const auto links = adjacency.neighbours(host);
        by_switch[links.empty() ? host : std::max(host, links.front().node)].push_back(host);
    }
    std::vector<std::vector<TopologyNode>> groups;
    groups.reserve(by_switch.size());
    for (auto& [node, members] : by_switch)
        groups.push_back(std::move(members));
    std::ranges::sort(groups);
    return groups;
}

}  // namespace trellis
