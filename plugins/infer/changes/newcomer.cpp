#include "plugins/infer/changes/newcomer.hpp"

#include <algorithm>

namespace trellis::plugins::infer {
namespace {

constexpr std::size_t spare = 2;  // hosts more, instead of those that do not answer

std::size_t count_in(const std::vector<TopologyNode>& hosts, const std::set<TopologyNode>& some) {
    return static_cast<std::size_t>(
        std::ranges::count_if(hosts, [&](TopologyNode host) { return some.contains(host); }));
}

}  // namespace

void Newcomer::take(const Reading& reading, bool in_full) {
    if (in_full) sure_.insert(reading.host);
    const auto known = std::ranges::find(readings_, reading.host, &Reading::host);
    if (known == readings_.end())
        readings_.push_back(reading);
    else if (reading.rtt_us <= known->rtt_us || in_full)
        *known = {reading.host, std::min(reading.rtt_us, known->rtt_us), reading.spread_us};
}

std::vector<TopologyNode> Newcomer::choose(std::vector<BranchHosts> branches, bool in_full) {
    std::set<TopologyNode> known;
    for (const Reading& reading : readings_)
        known.insert(reading.host);
    const std::set<TopologyNode>& have = in_full ? sure_ : known;
    std::set<TopologyNode>& asked = in_full ? asked_in_full_ : asked_;
    std::vector<TopologyNode> chosen;
    for (BranchHosts& branch : branches) {
        if (branch.hosts.empty()) continue;
        put_in_order(branch, in_full, known);
        std::size_t missing = branch.wanted - std::min(branch.wanted, count_in(branch.hosts, have));
        const std::size_t tries = count_in(branch.hosts, asked);
        for (const TopologyNode host : branch.hosts) {
            if (missing == 0 || tries >= branch.wanted + spare) break;
            if (!asked.insert(host).second) continue;
            chosen.push_back(host);
            --missing;
        }
    }
    return chosen;
}

// Newcomers at one place begin with different hosts.
void Newcomer::put_in_order(BranchHosts& branch, bool in_full, const std::set<TopologyNode>& known) const {
    std::vector<TopologyNode>& hosts = branch.hosts;
    if (!(in_full && branch.own))
        std::rotate(hosts.begin(), hosts.begin() + static_cast<std::ptrdiff_t>(number_ % hosts.size()),
                    hosts.end());
    std::stable_partition(hosts.begin(), hosts.end(),
                          [&](TopologyNode host) { return known.contains(host); });
}

}  // namespace trellis::plugins::infer
