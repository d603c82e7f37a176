#include "plugins/infer/survey/placement.hpp"

#include "agentd/model/topology_query.hpp"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <limits>
#include <unordered_map>

namespace trellis::plugins::infer {
namespace {

constexpr Probing probing_on_the_way{
    .sets = 2, .round_trips = 4, .patience = 4, .lanes = 16, .in_turn = false};
constexpr Probing probing_at_the_place{
    .sets = 3, .round_trips = 10, .patience = 10, .lanes = 2, .in_turn = false};
constexpr Probing probing_newcomers{
    .sets = 3, .round_trips = 10, .patience = 10, .lanes = 1, .in_turn = true};
constexpr auto no_host = std::numeric_limits<TopologyNode>::max();
// Hosts that are measured in full. Of a switch's own hosts those with the longest links, since such a link
// may hide the switch on which the new host hangs.
constexpr std::size_t on_the_switch = 16;
constexpr std::size_t beyond_a_link = 2;
constexpr std::size_t many_branches = 8;  // where one of each will do
constexpr std::size_t spare = 2;          // hosts more, instead of those that do not answer
constexpr std::size_t most_looks = 64;
constexpr double least_confidence = 0.9;  // of a place
constexpr double most_misfit = 4;

bool same_place(const Attachment& one, const Attachment& other) {
    return one.a == other.a && one.b == other.b;
}

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

void add_turns(Batch& batch, HostNumber measures, HostNumber serves) {
    batch.turns[measures].push_back({serves, true});
    batch.turns[serves].push_back({measures, false});
}

}  // namespace

Placement::Placement(const Topology& kept, std::vector<std::string> names, double confidence)
    : names_(std::move(names)),
      confidence_(confidence),
      host_(names_.size(), no_host),
      out_(names_.size(), false) {
    std::unordered_map<std::string, HostNumber> number_of;
    for (HostNumber number = 0; number < names_.size(); ++number)
        number_of[names_[number]] = number;
    std::vector<std::string> present;
    for (const std::string& name : kept.hosts)
        if (const auto place = number_of.find(name); place != number_of.end()) {
            host_[place->second] = static_cast<TopologyNode>(present.size());
            number_.push_back(place->second);
            present.push_back(name);
        }
    topology_ = project(kept, present).value();
    for (HostNumber number = 0; number < names_.size(); ++number)
        if (host_[number] == no_host) newcomers_.push_back({number, {}, {}, {}, {}, {}});
}

std::optional<Batch> Placement::next() {
    while (stage_ == Stage::descending || stage_ == Stage::confirming) {
        Batch batch = ++rounds_ < most_looks ? measure_around() : Batch{};
        if (batch.pairs() > 0) return batch;
        stage_ = stage_ == Stage::descending ? Stage::confirming : Stage::among;
        if (stage_ != Stage::among) continue;
        batch = measure_among();
        if (batch.pairs() > 0) return batch;
    }
    if (stage_ == Stage::among) hang_all();
    stage_ = Stage::over;
    return std::nullopt;
}

Batch Placement::measure_around() {
    Batch batch{stage_ == Stage::descending ? probing_on_the_way : probing_at_the_place,
                std::vector<std::vector<Turn>>(names_.size())};
    for (Newcomer& newcomer : newcomers_) {
        if (out_[newcomer.number]) continue;
        newcomer.place = best_attachment(topology_, newcomer.readings, confidence_);
        for (const TopologyNode host : choose(newcomer))
            add_turns(batch, newcomer.number, number_[host]);
    }
    return batch;
}

// Of each group those that are measured already first, unless that was in full.
std::vector<TopologyNode> Placement::choose(Newcomer& newcomer) const {
    const bool in_full = stage_ == Stage::confirming;
    std::set<TopologyNode> known;
    for (const Reading& reading : newcomer.readings)
        known.insert(reading.host);
    const std::set<TopologyNode>& have = in_full ? newcomer.sure : known;
    std::set<TopologyNode>& asked = in_full ? newcomer.asked_in_full : newcomer.asked;
    std::vector<TopologyNode> chosen;
    for (Group& group : around(newcomer)) {
        std::erase_if(group.hosts, [this](TopologyNode host) { return out_[number_[host]]; });
        if (group.hosts.empty()) continue;
        const auto first = static_cast<std::ptrdiff_t>(newcomer.number % group.hosts.size());
        if (!(in_full && group.own))
            std::rotate(group.hosts.begin(), group.hosts.begin() + first, group.hosts.end());
        std::stable_partition(group.hosts.begin(), group.hosts.end(),
                              [&](TopologyNode host) { return known.contains(host); });
        const auto count = [&](const std::set<TopologyNode>& hosts) {
            return static_cast<std::size_t>(
                std::ranges::count_if(group.hosts, [&](TopologyNode host) { return hosts.contains(host); }));
        };
        std::size_t missing = group.wanted - std::min(group.wanted, count(have));
        const std::size_t tries = count(asked);
        for (const TopologyNode host : group.hosts) {
            if (missing == 0 || tries >= group.wanted + spare) break;
            if (!asked.insert(host).second) continue;
            chosen.push_back(host);
            --missing;
        }
    }
    return chosen;
}

std::vector<Placement::Group> Placement::around(const Newcomer& newcomer) const {
    std::vector<Group> groups;
    if (newcomer.place) {
        add_branches(newcomer.place->a, newcomer.place->b, groups);
        if (newcomer.place->on_link()) add_branches(newcomer.place->b, newcomer.place->a, groups);
    } else {
        const TopologyNode start = centre(topology_);
        add_branches(start, start, groups);
    }
    if (stage_ == Stage::confirming) want_more(newcomer, groups);
    return groups;
}

// All hosts of the node itself are one group, those beyond each of its links to other switches another.
void Placement::add_branches(TopologyNode at, TopologyNode other_end, std::vector<Group>& groups) const {
    if (topology_.is_host(at)) {
        groups.push_back({{at}, true, 1});
        return;
    }
    const TopologyQuery tree(topology_, at);
    Group own{{}, true, 1};
    for (const TopologyNode next : tree.children(at)) {
        if (topology_.is_host(next) && next != other_end) own.hosts.push_back(next);
        if (topology_.is_host(next) || next == other_end) continue;
        groups.push_back({nearest_below(tree, next), false, 1});
    }
    std::ranges::stable_sort(own.hosts, std::greater<>(),
                             [&](TopologyNode host) { return tree.delay_to_parent(host); });
    groups.push_back(std::move(own));
}

// What is far from the host, while something is near, cannot be told any better by more of it.
void Placement::want_more(const Newcomer& newcomer, std::vector<Group>& groups) const {
    double least = std::numeric_limits<double>::infinity();
    for (const Reading& reading : newcomer.readings)
        least = std::min(least, reading.rtt_us);
    for (Group& group : groups) {
        const bool far = std::ranges::any_of(newcomer.readings, [&](const Reading& reading) {
            return is_far(reading.rtt_us, least) && std::ranges::count(group.hosts, reading.host) > 0;
        });
        const std::size_t beyond = groups.size() > many_branches ? 1 : beyond_a_link;
        group.wanted = far ? 0 : group.own ? on_the_switch : beyond;
    }
}

void Placement::take(std::span<const PairSample> samples) {
    for (const PairSample& sample : samples) {
        pairs_.insert(std::minmax(sample.a, sample.b));
        const bool a_is_new = host_[sample.a] == no_host, b_is_new = host_[sample.b] == no_host;
        if (a_is_new && b_is_new) among_.push_back(sample);
        if (a_is_new && !b_is_new) add_reading(sample.a, sample.b, sample);
        if (b_is_new && !a_is_new) add_reading(sample.b, sample.a, sample);
    }
}

void Placement::add_reading(HostNumber number, HostNumber other, const PairSample& sample) {
    const auto newcomer = std::ranges::find(newcomers_, number, &Newcomer::number);
    const Reading reading{host_[other], sample.rtt_us, sample.spread_us};
    if (stage_ == Stage::confirming) newcomer->sure.insert(reading.host);
    const auto known = std::ranges::find(newcomer->readings, reading.host, &Reading::host);
    if (known == newcomer->readings.end())
        newcomer->readings.push_back(reading);
    else if (reading.rtt_us <= known->rtt_us || stage_ == Stage::confirming)
        *known = {reading.host, std::min(reading.rtt_us, known->rtt_us), reading.spread_us};
}

Batch Placement::measure_among() {
    Batch batch{probing_newcomers, std::vector<std::vector<Turn>>(names_.size())};
    std::vector<const Newcomer*> left;
    for (const Newcomer& newcomer : newcomers_)
        if (!out_[newcomer.number] && newcomer.place) left.push_back(&newcomer);
    while (!left.empty()) {
        const Attachment place = *left.front()->place;
        std::vector<HostNumber> together;
        for (const Newcomer* newcomer : left)
            if (same_place(*newcomer->place, place)) together.push_back(newcomer->number);
        std::erase_if(left, [&](const Newcomer* newcomer) { return same_place(*newcomer->place, place); });
        const Batch part = tournament(together, names_.size(), probing_newcomers);
        for (HostNumber host = 0; host < part.turns.size(); ++host)
            batch.turns[host].insert(batch.turns[host].end(), part.turns[host].begin(),
                                     part.turns[host].end());
    }
    return batch;
}

void Placement::hang_all() {
    for (const Newcomer& newcomer : newcomers_)
        if (!out_[newcomer.number]) hang_one(newcomer);
}

void Placement::hang_one(const Newcomer& newcomer) {
    const auto place = best_attachment(topology_, all_readings(newcomer), confidence_);
    const std::string& name = names_[newcomer.number];
    if (!place || place->confidence < least_confidence || place->misfit > most_misfit) {
        unplaced_.push_back(newcomer.number);
        const bool misfit = place && place->misfit > most_misfit;
        remarks_.push_back(name + (misfit ? " fits no_host in the kept topology" : " has no sure place"));
        return;
    }
    const auto added = static_cast<TopologyNode>(topology_.hosts.size());
    topology_ = hang(topology_, name, *place);
    host_[newcomer.number] = added;
    number_.push_back(newcomer.number);
    char text[120];
    std::snprintf(text, sizeof text, " hangs on %s, %.1f%% sure",
                  topology_.name(topology_.links.back().b).c_str(), 100 * place->confidence);
    remarks_.push_back(name + text);
}

// Also to newcomers that have their place by now. Readings of hosts that were kept keep their meaning: hosts
// that are added come after them.
std::vector<Reading> Placement::all_readings(const Newcomer& newcomer) const {
    std::vector<Reading> readings = newcomer.readings;
    for (PairSample sample : among_) {
        if (sample.b == newcomer.number) std::swap(sample.a, sample.b);
        if (sample.a != newcomer.number || host_[sample.b] == no_host) continue;
        readings.push_back({host_[sample.b], sample.rtt_us, sample.spread_us});
    }
    return readings;
}

Topology Placement::topology() const {
    std::vector<std::string> present;
    for (HostNumber number = 0; number < names_.size(); ++number)
        if (!out_[number] && host_[number] != no_host) present.push_back(names_[number]);
    return project(topology_, present).value();
}

}  // namespace trellis::plugins::infer
