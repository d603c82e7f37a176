#include "plugins/bwtree/saturating_plan.hpp"

#include "plugins/bwtree/host_choice.hpp"

#include <algorithm>
#include <utility>

namespace trellis::plugins::bwtree {
namespace {

using Kind = LinkBandwidth::Kind;

constexpr std::size_t first_flows_of_host = 2;
constexpr std::size_t first_flows_of_trunk = 4;
constexpr std::size_t flows_of_each_host = 4;  // at most, to other hosts each
constexpr double assumed_of_host = 1e9;        // before it has been measured
// What more flows must promise beyond what a link has carried.
constexpr double worthwhile = 1.15;
// From so many flows on, twice as many must have carried so much more for it to be tried again.
constexpr std::size_t many_flows = 16;
constexpr double growth = 1.05;

}  // namespace

SaturatingPlan::SaturatingPlan(Topology topology)
    : topology_(std::move(topology)),
      paths_(topology_),
      evidence_(paths_),
      known_(paths_.count()),
      flows_(paths_.count(), 0),
      before_(paths_.count(), 0) {}

bool SaturatingPlan::is_of_host(DirectedLink link) const {
    return topology_.is_host(paths_.tail(link)) || topology_.is_host(paths_.head(link));
}

bool SaturatingPlan::measured(DirectedLink link) const {
    return known_[link].kind == Kind::measured;
}

double SaturatingPlan::capacity(DirectedLink link) const {
    if (out_.contains(paths_.tail(link)) || out_.contains(paths_.head(link))) return 0;
    if (measured(link)) return known_[link].bits_per_second;
    if (!is_of_host(link)) return unlimited;
    return evidence_.carried(link) > 0 ? evidence_.carried(link) : assumed_of_host;
}

Supply SaturatingPlan::supply() const {
    std::vector<double> capacities;
    for (DirectedLink link = 0; link < paths_.count(); ++link)
        capacities.push_back(capacity(link));
    return {paths_, topology_.hosts.size(), std::move(capacities)};
}

// More flows, or the first ones, may fill it.
bool SaturatingPlan::promising(DirectedLink link, const Supply& supply) const {
    const std::size_t beyond = supply.hosts_beyond(link), before = supply.hosts_beyond(opposite(link));
    if (measured(link) || beyond == 0 || before == 0) return false;
    if (flows_[link] == 0) return true;
    if (flows_[link] >= many_flows && evidence_.carried(link) < growth * before_[link]) return false;
    const double most = std::min(supply.into(link), supply.out_of(link));
    const std::size_t most_flows = std::min(beyond * before, flows_of_each_host * std::max(beyond, before));
    return flows_[link] < most_flows && most > worthwhile * evidence_.carried(link);
}

// The hosts' links first; false if nothing more is to be hoped for.
bool SaturatingPlan::begin_pass() {
    const Supply now = supply();
    for (DirectedLink link = 0; link < paths_.count(); ++link) {
        if (!(trunks_ || is_of_host(link)) || !promising(link, now)) continue;
        const std::size_t first = is_of_host(link) ? first_flows_of_host : first_flows_of_trunk;
        flows_[link] = std::max(2 * flows_[link], first);
        before_[link] = evidence_.carried(link);
        waiting_.push_back(link);
    }
    return !waiting_.empty() || !std::exchange(trunks_, true);
}

std::optional<Round> SaturatingPlan::next() {
    do {
        std::erase_if(waiting_, [this](DirectedLink link) { return measured(link); });
        if (waiting_.empty() && begun_) trunks_ = true;
        if (waiting_.empty() && !begin_pass()) return std::nullopt;
        begun_ = true;
        fill_round();
    } while (round_.empty());
    return round_;
}

// As many groups as fit beside one another. The first one always does, unless no host is left for it.
void SaturatingPlan::fill_round() {
    const Supply now = supply();
    std::vector<bool> busy(topology_.links.size(), false);
    std::vector<DirectedLink> later;
    std::uint32_t group = 0;
    round_.clear();
    for (const DirectedLink link : waiting_) {
        auto flows = HostChoice(paths_, topology_.hosts.size(), now, busy).flows_over(link, flows_[link]);
        if (!flows) {
            if (!round_.empty()) later.push_back(link);
            continue;
        }
        for (Flow& flow : *flows) {
            flow.group = group;
            for (const DirectedLink used : paths_.path(flow.from, flow.to))
                busy[link_of(used)] = true;
        }
        ++group;
        round_.insert(round_.end(), flows->begin(), flows->end());
    }
    waiting_ = std::move(later);
}

void SaturatingPlan::take(std::span<const FlowRate> rates) {
    evidence_.add(round_, rates);
    known_ = evidence_.judge();
}

TopologyBandwidth SaturatingPlan::result() const {
    TopologyBandwidth tree{topology_, {}};
    for (std::size_t i = 0; i < topology_.links.size(); ++i)
        tree.links.push_back({known_[2 * i], known_[2 * i + 1]});
    return tree;
}

}  // namespace trellis::plugins::bwtree
