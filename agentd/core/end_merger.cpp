#include "agentd/core/end_merger.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace trellis {

std::vector<HostId> EndMerger::add(const std::vector<HostId>& hosts, const std::string& end) {
    std::vector<HostId> others, waited_for;
    for (const HostId host : hosts)
        (waiting_.erase(host) > 0 ? waited_for : others).push_back(host);
    if (waited_for.empty()) return others;
    const auto [place, added] = ends_.try_emplace(end);
    bytes_ += (added ? end.size() : 0) + waited_for.size() * sizeof(HostId);
    place->second.insert(place->second.end(), waited_for.begin(), waited_for.end());
    return others;
}

void EndMerger::remove(HostId host) {
    if (waiting_.erase(host) > 0) whole_ = false;
}

MergedEnds EndMerger::take() {
    MergedEnds merged;
    auto ends = std::exchange(ends_, {});
    bytes_ = 0;
    if (std::exchange(whole_, false) && complete()) {
        const auto most =
            std::ranges::max_element(ends, {}, [](const auto& entry) { return entry.second.size(); });
        if (most != ends.end()) merged.rest = ends.extract(most).key();
    }
    for (auto& [end, hosts] : ends)
        merged.groups.emplace_back(end, HostSet(std::move(hosts)).prefix_to(""));
    return merged;
}

std::vector<EqualEnds> expand(const MergedEnds& merged, const HostSet* share) {
    std::vector<EqualEnds> expanded;
    std::vector<HostId> named;
    for (const auto& [end, hosts] : merged.groups) {
        const auto set = HostSet::read_prefix(hosts);
        if (!set) continue;
        named.insert(named.end(), set->first.ids().begin(), set->first.ids().end());
        expanded.push_back({end, set->first});
    }
    if (!merged.rest || !share) return expanded;
    const HostSet apart(std::move(named));
    std::vector<HostId> others;
    std::ranges::set_difference(share->ids(), apart.ids(), std::back_inserter(others));
    expanded.push_back({*merged.rest, HostSet(std::move(others))});
    return expanded;
}

}  // namespace trellis
