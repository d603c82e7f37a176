#include "plugins/bwtree/fluid_rates.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

namespace trellis::plugins::bwtree {
namespace {

struct Sharing {
    double left = 0;
    std::size_t flows = 0;  // whose rates are still open
    [[nodiscard]] double each() const {
        return flows == 0 ? std::numeric_limits<double>::infinity() : left / static_cast<double>(flows);
    }
};

}  // namespace

// The fullest link fixes the rates of its flows, then the next one.
std::vector<double> fair_rates(std::span<const Way> ways,
                               const std::function<double(DirectedLink)>& capacity) {
    std::map<DirectedLink, Sharing> links;
    for (const Way& way : ways)
        for (const DirectedLink link : way)
            ++links.try_emplace(link, Sharing{capacity(link), 0}).first->second.flows;
    std::vector<double> rates(ways.size(), 0);
    std::vector<std::size_t> open(ways.size());
    std::iota(open.begin(), open.end(), std::size_t{0});
    while (!open.empty()) {
        const auto fullest =
            std::ranges::min_element(links, {}, [](const auto& link) { return link.second.each(); });
        const double least = fullest->second.each();
        std::erase_if(open, [&](std::size_t i) {
            if (std::ranges::find(ways[i], fullest->first) == ways[i].end()) return false;
            rates[i] = least;
            for (const DirectedLink link : ways[i]) {
                links[link].left -= least;
                --links[link].flows;
            }
            return true;
        });
    }
    return rates;
}

std::vector<FlowRate> fluid_rates(const DirectedPaths& paths, std::span<const double> capacity,
                                  std::span<const Flow> flows) {
    std::map<std::uint32_t, std::vector<std::size_t>> groups;
    for (std::size_t i = 0; i < flows.size(); ++i)
        groups[flows[i].group].push_back(i);
    std::vector<FlowRate> all(flows.size());
    for (const auto& [group, members] : groups) {
        std::vector<Way> ways;
        for (const std::size_t i : members)
            ways.push_back(paths.path(flows[i].from, flows[i].to));
        const auto rates = fair_rates(ways, [&](DirectedLink link) { return capacity[link]; });
        for (std::size_t i = 0; i < members.size(); ++i)
            all[members[i]].bits_per_second = rates[i];
    }
    return all;
}

}  // namespace trellis::plugins::bwtree
