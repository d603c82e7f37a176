#include "plugins/infer/changes/surroundings.hpp"

#include "agentd/model/topology_query.hpp"

#include <algorithm>
#include <functional>
#include <limits>

namespace trellis::plugins::infer {
namespace {

// Hosts that are measured in full. Of a switch's own hosts those with the longest links, since such a link
// may hide the switch on which the new host hangs.
constexpr std::size_t on_the_switch = 16;
constexpr std::size_t beyond_a_link = 2;
constexpr std::size_t many_branches = 8;  // where one of each will do

// The hosts beyond a link from the root, but those that are far in comparison: what these tell of a place
// nearby drowns in the noise of their way.
std::vector<TopologyNode> nearest_below(const TopologyQuery& tree, TopologyNode top) {
    const auto below = tree.hosts_below(top);
    std::vector<TopologyNode> hosts(below.begin(), below.end());
    const auto away = [&](TopologyNode host) { return tree.distance(tree.root(), host).count(); };
    const double least = away(*std::ranges::min_element(hosts, {}, away));
    std::erase_if(hosts, [&](TopologyNode host) { return is_far(away(host), least); });
    return hosts;
}

// All hosts of the node itself are one branch, those beyond each of its links to other switches another.
void add_branches(const Topology& topology, TopologyNode at, TopologyNode other_end,
                  std::vector<BranchHosts>& branches) {
    if (topology.is_host(at)) {
        branches.push_back({{at}, true, 1});
        return;
    }
    const TopologyQuery tree(topology, at);
    BranchHosts own{{}, true, 1};
    for (const TopologyNode next : tree.children(at)) {
        if (topology.is_host(next) && next != other_end) own.hosts.push_back(next);
        if (topology.is_host(next) || next == other_end) continue;
        branches.push_back({nearest_below(tree, next), false, 1});
    }
    std::ranges::stable_sort(own.hosts, std::greater<>(),
                             [&](TopologyNode host) { return tree.delay_to_parent(host); });
    branches.push_back(std::move(own));
}

}  // namespace

std::vector<BranchHosts> surroundings(const Topology& tree, const std::optional<Attachment>& place) {
    std::vector<BranchHosts> branches;
    if (place) {
        add_branches(tree, place->a, place->b, branches);
        if (place->on_link()) add_branches(tree, place->b, place->a, branches);
    } else {
        const TopologyNode start = centre(tree);
        add_branches(tree, start, start, branches);
    }
    return branches;
}

void want_more(std::vector<BranchHosts>& branches, std::span<const Reading> readings) {
    double least = std::numeric_limits<double>::infinity();
    for (const Reading& reading : readings)
        least = std::min(least, reading.rtt_us);
    for (BranchHosts& branch : branches) {
        const bool far = std::ranges::any_of(readings, [&](const Reading& reading) {
            return is_far(reading.rtt_us, least) && std::ranges::count(branch.hosts, reading.host) > 0;
        });
        const std::size_t beyond = branches.size() > many_branches ? 1 : beyond_a_link;
        branch.wanted = far ? 0 : branch.own ? on_the_switch : beyond;
    }
}

}  // namespace trellis::plugins::infer
