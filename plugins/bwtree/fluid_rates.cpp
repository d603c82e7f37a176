#include "plugins/bwtree/fluid_rates.hpp"

#include <algorithm>
#include <limits>
#include <map>

namespace trellis::plugins::bwtree {
namespace {

struct Sharing {
    double left = 0;
    std::size_t flows = 0;  // whose rates are still open
};

using Sharings = std::map<DirectedLink, Sharing>;

// The flows of one group: the fullest link fixes the rates of its flows, then the next one.
void share(const std::vector<std::vector<DirectedLink>>& ways, Sharings& links, std::vector<double>& rates) {
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < ways.size(); ++i)
        open.push_back(i);
    while (!open.empty()) {
        double least = std::numeric_limits<double>::infinity();
        DirectedLink fullest = 0;
        for (const auto& [link, sharing] : links) {
            if (sharing.flows == 0) continue;
            const double each = sharing.left / static_cast<double>(sharing.flows);
            if (each >= least) continue;
            least = each;
            fullest = link;
        }
        std::erase_if(open, [&](std::size_t i) {
            if (std::ranges::find(ways[i], fullest) == ways[i].end()) return false;
            rates[i] = least;
            for (const DirectedLink link : ways[i]) {
                links[link].left -= least;
                --links[link].flows;
            }
            return true;
        });
    }
}

}  // namespace

std::vector<FlowRate> fluid_rates(const DirectedPaths& paths, std::span<const double> capacity,
                                  std::span<const Flow> flows) {
    std::map<std::uint32_t, std::vector<std::size_t>> groups;
    for (std::size_t i = 0; i < flows.size(); ++i)
        groups[flows[i].group].push_back(i);
    std::vector<FlowRate> all(flows.size());
    for (const auto& [group, members] : groups) {
        std::vector<std::vector<DirectedLink>> ways;
        Sharings links;
        for (const std::size_t i : members) {
            ways.push_back(paths.path(flows[i].from, flows[i].to));
            for (const DirectedLink link : ways.back()) {
                links[link].left = capacity[link];
                ++links[link].flows;
            }
        }
        std::vector<double> rates(ways.size(), 0);
        share(ways, links, rates);
        for (std::size_t i = 0; i < members.size(); ++i)
            all[members[i]].bits_per_second = rates[i];
    }
    return all;
}

}  // namespace trellis::plugins::bwtree
