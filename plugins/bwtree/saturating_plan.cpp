#include "plugins/bwtree/saturating_plan.hpp"

#include "plugins/bwtree/host_choice.hpp"

#include <algorithm>
#include <utility>

namespace trellis::plugins::bwtree {
namespace {

using Kind = LinkBandwidth::Kind;

constexpr std::size_t first_flows = 16;   // at most, one for each pair of hosts
constexpr std::size_t more = 2;           // times as many in the next turn
constexpr std::size_t flows_of_each = 4;  // at most, of each host, to other hosts each
constexpr std::size_t most_turns = 7;
constexpr std::size_t most_controls = 6;  // turns of a link in doubt: half of them with fewer flows
// What is at hand for these at most, as a share of what the link has carried.
constexpr double control_load = 0.9;
static_assert(control_load < clearly_less);
constexpr double assumed_of_host = 1e9;  // before it has been measured

}  // namespace

SaturatingPlan::SaturatingPlan(Topology topology)
    : topology_(std::move(topology)), paths_(topology_), evidence_(paths_), tried_(paths_.count()) {}

bool SaturatingPlan::is_of_host(DirectedLink link) const {
    return topology_.is_host(paths_.tail(link)) || topology_.is_host(paths_.head(link));
}

bool SaturatingPlan::measured(DirectedLink link) const {
    return evidence_.known(link).kind == Kind::measured;
}

double SaturatingPlan::capacity(DirectedLink link) const {
    if (out_.contains(paths_.tail(link)) || out_.contains(paths_.head(link))) return 0;
    if (measured(link)) return evidence_.known(link).bits_per_second;
    if (!is_of_host(link) && tried_[link].turns < 2) return unlimited;
    return evidence_.carried(link) > 0 ? evidence_.carried(link) : assumed_of_host;
}

Supply SaturatingPlan::supply() const {
    std::vector<double> capacities;
    for (DirectedLink link = 0; link < paths_.count(); ++link)
        capacities.push_back(capacity(link));
    return {paths_, topology_.hosts.size(), std::move(capacities)};
}

// Another turn, or the first one, may tell how much it carries.
bool SaturatingPlan::promising(DirectedLink link, const Supply& supply) const {
    if (measured(link) || supply.hosts_beyond(link) == 0 || supply.hosts_beyond(opposite(link)) == 0)
        return false;
    const std::size_t turns = tried_[link].turns;
    if (turns == 0 || turns >= most_turns) return turns == 0;
    return std::min(supply.into(link), supply.out_of(link)) > clearly_more * evidence_.carried(link);
}

// At first one for each pair of hosts, or two.
std::size_t SaturatingPlan::flows_for(DirectedLink link, const Supply& supply) const {
    const auto [fewer, many] = std::minmax({supply.hosts_beyond(link), supply.hosts_beyond(opposite(link))});
    if (tried_[link].turns == 0) return std::clamp<std::size_t>(fewer, 2, first_flows);
    return std::min({more * tried_[link].flows, fewer * many, flows_of_each * many});
}

bool SaturatingPlan::has_turn(DirectedLink link, const Supply& supply) const {
    if (pass_ == Pass::controls) return tried_[link].controls < most_controls && evidence_.in_doubt(link);
    return (pass_ == Pass::rest || is_of_host(link) == (pass_ == Pass::hosts)) && promising(link, supply);
}

// The hosts' links once, then those between switches, then again and again what is not known by then, at last
// what is in doubt; false if nothing more is to be hoped for.
bool SaturatingPlan::begin_pass() {
    const Supply now = supply();
    while (waiting_.empty() && pass_ != Pass::none) {
        for (DirectedLink link = 0; link < paths_.count(); ++link)
            if (has_turn(link, now)) waiting_.push_back(link);
        if (waiting_.empty() || pass_ < Pass::rest) pass_ = static_cast<Pass>(static_cast<int>(pass_) + 1);
    }
    for (const DirectedLink link : waiting_)
        if (pass_ == Pass::controls)
            ++tried_[link].controls;
        else
            tried_[link] = {tried_[link].turns + 1, flows_for(link, now)};
    return !waiting_.empty();
}

std::optional<Round> SaturatingPlan::next() {
    do {
        std::erase_if(waiting_, [this](DirectedLink link) { return measured(link); });
        if (waiting_.empty() && !begin_pass()) return std::nullopt;
        fill_round();
    } while (round_.empty());
    return round_;
}

// Every other control turn is with fewer of them.
std::optional<std::vector<Flow>> SaturatingPlan::flows_over(DirectedLink link, const Supply& supply,
                                                            const std::vector<bool>& busy) const {
    auto flows =
        HostChoice(paths_, topology_.hosts.size(), supply, busy).flows_over(link, tried_[link].flows);
    if (flows && tried_[link].controls % 2 == 1) leave_out_hosts(link, supply, *flows);
    return flows && !flows->empty() ? flows : std::nullopt;
}

// The slowest of the side that has less, until clearly less is at hand than the link has carried.
void SaturatingPlan::leave_out_hosts(DirectedLink link, const Supply& supply,
                                     std::vector<Flow>& flows) const {
    const bool senders = supply.into(link) < supply.out_of(link);
    const auto side = senders ? &Flow::from : &Flow::to;
    const auto rate = [&](const Flow& flow) {
        const DirectedLink leaving = paths_.leaving(flow.*side).front();
        return supply.capacity(senders ? leaving : opposite(leaving));
    };
    while (!flows.empty() && evidence_.at_hand(link, flows) > control_load * evidence_.carried(link)) {
        const TopologyNode slowest = (*std::ranges::min_element(flows, {}, rate)).*side;
        std::erase_if(flows, [&](const Flow& flow) { return flow.*side == slowest; });
    }
}

// As many groups as fit beside one another. The first one always does, unless no host is left for it.
void SaturatingPlan::fill_round() {
    const Supply now = supply();
    std::vector<bool> busy(topology_.links.size(), false);
    std::vector<DirectedLink> later;
    round_.clear();
    targets_.clear();
    for (const DirectedLink link : waiting_) {
        auto flows = flows_over(link, now, busy);
        if (!flows) {
            if (!round_.empty()) later.push_back(link);
            continue;
        }
        for (Flow& flow : *flows) {
            flow.group = static_cast<std::uint32_t>(targets_.size());
            for (const DirectedLink used : paths_.path(flow.from, flow.to))
                busy[link_of(used)] = true;
        }
        targets_.push_back(link);
        round_.insert(round_.end(), flows->begin(), flows->end());
    }
    waiting_ = std::move(later);
}

// Whatever it is late for.
void SaturatingPlan::take_back(TopologyNode host) {
    out_.erase(host);
    pass_ = std::min(pass_, Pass::rest);
}

void SaturatingPlan::take(std::span<const FlowRate> rates) {
    evidence_.add(targets_, round_, rates);
}

TopologyBandwidth SaturatingPlan::result() const {
    TopologyBandwidth tree{topology_, {}};
    for (DirectedLink link = 0; link < paths_.count(); link += 2)
        tree.links.push_back({evidence_.known(link), evidence_.known(opposite(link))});
    return tree;
}

}  // namespace trellis::plugins::bwtree
