#include "plugins/infer/changes/placement.hpp"

#include "agentd/model/topology_query.hpp"
#include "plugins/infer/changes/grown_topology.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <unordered_map>

namespace trellis::plugins::infer {
namespace {

constexpr Probing probing_on_the_way{
    .sets = 2, .round_trips = 4, .patience = 4, .lanes = 16, .in_turn = false};
constexpr Probing probing_at_the_place{
    .sets = 3, .round_trips = 10, .patience = 10, .lanes = 8, .in_turn = false};
constexpr Probing probing_newcomers{
    .sets = 3, .round_trips = 10, .patience = 10, .lanes = 1, .in_turn = true};
constexpr auto not_in_tree = std::numeric_limits<TopologyNode>::max();
constexpr std::size_t most_looks = 64;
constexpr double least_confidence = 0.9;  // of a place
constexpr double most_misfit = 4;

bool same_place(const Attachment& one, const Attachment& other) {
    return one.a == other.a && one.b == other.b;
}

void add_turns(Batch& batch, HostNumber measures, HostNumber serves) {
    batch.turns[measures].push_back({serves, true});
    batch.turns[serves].push_back({measures, false});
}

}  // namespace

Placement::Placement(const Topology& kept, std::vector<std::string> names, double confidence)
    : names_(std::move(names)),
      confidence_(confidence),
      host_(names_.size(), not_in_tree),
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
        if (host_[number] == not_in_tree) newcomers_.emplace_back(number);
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
        if (out_[newcomer.number()]) continue;
        newcomer.place = best_attachment(topology_, newcomer.readings(), confidence_);
        for (const TopologyNode host : newcomer.choose(around(newcomer), stage_ == Stage::confirming))
            add_turns(batch, newcomer.number(), number_[host]);
    }
    return batch;
}

// The hosts that are left round its place.
std::vector<BranchHosts> Placement::around(const Newcomer& newcomer) const {
    std::vector<BranchHosts> branches = surroundings(topology_, newcomer.place);
    if (stage_ == Stage::confirming) want_more(branches, newcomer.readings());
    for (BranchHosts& branch : branches)
        std::erase_if(branch.hosts, [this](TopologyNode host) { return out_[number_[host]]; });
    return branches;
}

void Placement::take(std::span<const PairSample> samples) {
    for (const PairSample& sample : samples) {
        pairs_.insert(std::minmax(sample.a, sample.b));
        const bool a_is_new = host_[sample.a] == not_in_tree, b_is_new = host_[sample.b] == not_in_tree;
        if (a_is_new && b_is_new) among_.push_back(sample);
        if (a_is_new && !b_is_new) add_reading(sample.a, sample.b, sample);
        if (b_is_new && !a_is_new) add_reading(sample.b, sample.a, sample);
    }
}

void Placement::add_reading(HostNumber number, HostNumber other, const PairSample& sample) {
    const auto newcomer = std::ranges::find(newcomers_, number, &Newcomer::number);
    newcomer->take({host_[other], sample.rtt_us, sample.spread_us}, stage_ == Stage::confirming);
}

Batch Placement::measure_among() {
    Batch batch{probing_newcomers, std::vector<std::vector<Turn>>(names_.size())};
    std::vector<const Newcomer*> left;
    for (const Newcomer& newcomer : newcomers_)
        if (!out_[newcomer.number()] && newcomer.place) left.push_back(&newcomer);
    while (!left.empty()) {
        const Attachment place = *left.front()->place;
        std::vector<HostNumber> together;
        for (const Newcomer* newcomer : left)
            if (same_place(*newcomer->place, place)) together.push_back(newcomer->number());
        std::erase_if(left, [&](const Newcomer* newcomer) { return same_place(*newcomer->place, place); });
        batch.append_tournament(together);
    }
    return batch;
}

void Placement::hang_all() {
    for (const Newcomer& newcomer : newcomers_)
        if (!out_[newcomer.number()]) hang_one(newcomer);
}

void Placement::hang_one(const Newcomer& newcomer) {
    const auto place = best_attachment(topology_, all_readings(newcomer), confidence_);
    const std::string& name = names_[newcomer.number()];
    if (!place || place->confidence < least_confidence || place->misfit > most_misfit) {
        unplaced_.push_back(newcomer.number());
        const bool misfit = place && place->misfit > most_misfit;
        remarks_.push_back(name + (misfit ? " fits nowhere in the kept topology" : " has no sure place"));
        return;
    }
    const auto added = static_cast<TopologyNode>(topology_.hosts.size());
    topology_ = hang(topology_, name, *place);
    host_[newcomer.number()] = added;
    number_.push_back(newcomer.number());
    char text[120];
    std::snprintf(text, sizeof text, " hangs on %s, %.1f%% sure",
                  topology_.name(topology_.links.back().b).c_str(), 100 * place->confidence);
    remarks_.push_back(name + text);
}

// Also to newcomers that have their place by now. Readings of hosts that were kept keep their meaning: hosts
// that are added come after them.
std::vector<Reading> Placement::all_readings(const Newcomer& newcomer) const {
    std::vector<Reading> readings = newcomer.readings();
    for (PairSample sample : among_) {
        if (sample.b == newcomer.number()) std::swap(sample.a, sample.b);
        if (sample.a != newcomer.number() || host_[sample.b] == not_in_tree) continue;
        readings.push_back({host_[sample.b], sample.rtt_us, sample.spread_us});
    }
    return readings;
}

Topology Placement::topology() const {
    std::vector<std::string> present;
    for (HostNumber number = 0; number < names_.size(); ++number)
        if (!out_[number] && host_[number] != not_in_tree) present.push_back(names_[number]);
    return project(topology_, present).value();
}

}  // namespace trellis::plugins::infer
