#include "plugins/rankmap/scotch_mapping.hpp"

#include "agentd/model/topology_query.hpp"

#include <algorithm>
#include <cmath>
#include <scotch/scotch.h>
#include <tuple>
#include <utility>
#include <vector>

namespace trellis::plugins::rankmap {
namespace {

// How many levels of the tree a slot may lie below on the average.
constexpr std::size_t deepest_mean = 64;

// SCOTCH takes whole numbers: what two ranks say to each other is at most this.
constexpr double greatest_weight = 10'000;

// Ranks, and numbers above all ranks for slots that stay free.
using Members = std::vector<std::uint32_t>;

// A library's object, made and unmade by functions of its own.
template <class Object, int (*begin)(Object*), void (*end)(Object*)>
struct Held {
    Held() { begin(&object); }
    ~Held() { end(&object); }
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    Object object{};
};
using HeldGraph = Held<SCOTCH_Graph, SCOTCH_graphInit, SCOTCH_graphExit>;
using HeldArchitecture = Held<SCOTCH_Arch, SCOTCH_archInit, SCOTCH_archExit>;
using HeldStrategy = Held<SCOTCH_Strat, SCOTCH_stratInit, SCOTCH_stratExit>;
using HeldContext = Held<SCOTCH_Context, SCOTCH_contextInit, SCOTCH_contextExit>;

class Division {
  public:
    Division(const Site& site, const Traffic& traffic, std::uint64_t seed);

    std::optional<Placement> run();

  private:
    struct Branch {
        TopologyNode node;
        SCOTCH_Num room;
    };

    [[nodiscard]] bool too_deep() const;
    [[nodiscard]] std::vector<Branch> branches(TopologyNode node) const;
    bool divide(TopologyNode node, const Members& members);
    // Which branch each member goes to.
    std::optional<std::vector<SCOTCH_Num>> parts(const Members& members, const std::vector<Branch>& branches);
    void keep_to_room(const Members& members, const std::vector<Branch>& branches,
                      std::vector<SCOTCH_Num>& parts);
    [[nodiscard]] double said_within(std::uint32_t who, const std::vector<SCOTCH_Num>& parts,
                                     SCOTCH_Num part) const;

    const Site& site_;
    const Traffic& traffic_;
    HeldContext context_;
    TopologyQuery query_;
    std::vector<SCOTCH_Num> room_;  // below each node
    float most_said_ = 0;
    std::vector<std::uint32_t> place_;  // of each rank among the members of the subtree that is divided
    std::vector<std::pair<TopologyNode, Members>> waiting_;
    Placement placement_;
};

constexpr std::uint32_t elsewhere = UINT32_MAX;

Division::Division(const Site& site, const Traffic& traffic, std::uint64_t seed)
    : site_(site),
      traffic_(traffic),
      query_(site.topology),
      room_(site.topology.node_count(), 0),
      place_(traffic.ranks(), elsewhere),
      placement_(traffic.ranks()) {
    SCOTCH_contextOptionSetNum(&context_.object, SCOTCH_OPTIONNUMDETERMINISTIC, 1);
    SCOTCH_contextRandomSeed(&context_.object, static_cast<SCOTCH_Num>(seed % INT32_MAX));
    SCOTCH_contextThreadSpawn(&context_.object, 1, nullptr);
    for (TopologyNode host = 0; host < site.slots.size(); ++host) {
        for (TopologyNode node = host;; node = query_.parent(node)) {
            room_[node] += static_cast<SCOTCH_Num>(site.slots[host]);
            if (node == query_.root()) break;
        }
    }
    for (std::size_t rank = 0; rank < traffic.ranks(); ++rank)
        for (const TrafficPeer& peer : traffic.peers(rank))
            most_said_ = std::max(most_said_, peer.amount);
}

bool Division::too_deep() const {
    std::size_t sum = 0;
    for (TopologyNode host = 0; host < site_.slots.size(); ++host)
        sum += site_.slots[host] * query_.depth(host);
    return sum > deepest_mean * site_.room();
}

std::vector<Division::Branch> Division::branches(TopologyNode node) const {
    std::vector<Branch> found;
    for (const TopologyNode child : query_.children(node))
        if (room_[child] > 0) found.push_back({child, room_[child]});
    if (site_.topology.is_host(node) && site_.slots[node] > 0)
        found.push_back({node, static_cast<SCOTCH_Num>(site_.slots[node])});
    return found;
}

std::optional<Placement> Division::run() {
    if (too_deep()) return std::nullopt;
    Members all(site_.room());
    for (std::uint32_t i = 0; i < all.size(); ++i)
        all[i] = i;
    waiting_.push_back({query_.root(), std::move(all)});
    while (!waiting_.empty()) {
        const auto [node, members] = std::move(waiting_.back());
        waiting_.pop_back();
        if (!divide(node, members)) return std::nullopt;
    }
    return placement_;
}

bool Division::divide(TopologyNode node, const Members& members) {
    const std::vector<Branch> into = branches(node);
    if (into.size() == 1 && into[0].node == node) {
        for (const std::uint32_t who : members)
            if (who < traffic_.ranks()) placement_[who] = node;
        return true;
    }
    const auto part = parts(members, into);
    if (!part) return false;
    std::vector<Members> divided(into.size());
    for (std::size_t i = 0; i < members.size(); ++i)
        divided[static_cast<std::size_t>((*part)[i])].push_back(members[i]);
    for (std::size_t i = 0; i < into.size(); ++i)
        waiting_.push_back({into[i].node, std::move(divided[i])});
    return true;
}

std::optional<std::vector<SCOTCH_Num>> Division::parts(const Members& members,
                                                       const std::vector<Branch>& branches) {
    std::vector<SCOTCH_Num> found(members.size(), 0);
    if (branches.size() == 1) return found;
    for (std::uint32_t i = 0; i < members.size(); ++i)
        if (members[i] < traffic_.ranks()) place_[members[i]] = i;
    std::vector<SCOTCH_Num> first{0}, ends, weights, room;
    for (const std::uint32_t who : members) {
        for (const TrafficPeer& peer : traffic_.peers(who)) {
            if (place_[peer.rank] == elsewhere) continue;
            ends.push_back(static_cast<SCOTCH_Num>(place_[peer.rank]));
            const double share = peer.amount / most_said_;
            weights.push_back(1 + static_cast<SCOTCH_Num>(share * (greatest_weight - 1)));
        }
        first.push_back(static_cast<SCOTCH_Num>(ends.size()));
    }
    for (const Branch& branch : branches)
        room.push_back(branch.room);
    HeldGraph plain, graph;
    HeldArchitecture architecture;
    HeldStrategy strategy;
    const auto count = static_cast<SCOTCH_Num>(branches.size());
    const bool done =
        SCOTCH_graphBuild(&plain.object, 0, static_cast<SCOTCH_Num>(members.size()), first.data(), nullptr,
                          nullptr, nullptr, first.back(), ends.data(), weights.data()) == 0 &&
        SCOTCH_contextBindGraph(&context_.object, &plain.object, &graph.object) == 0 &&
        SCOTCH_archCmpltw(&architecture.object, count, room.data()) == 0 &&
        SCOTCH_graphMap(&graph.object, &architecture.object, &strategy.object, found.data()) == 0;
    if (done) keep_to_room(members, branches, found);
    for (const std::uint32_t who : members)
        if (who < traffic_.ranks()) place_[who] = elsewhere;
    return done ? std::optional(std::move(found)) : std::nullopt;
}

double Division::said_within(std::uint32_t who, const std::vector<SCOTCH_Num>& parts, SCOTCH_Num part) const {
    double sum = 0;
    for (const TrafficPeer& peer : traffic_.peers(who))
        if (place_[peer.rank] != elsewhere && parts[place_[peer.rank]] == part) sum += peer.amount;
    return sum;
}

// SCOTCH may give a branch a few more than there is room for: those with the least to say there move on.
void Division::keep_to_room(const Members& members, const std::vector<Branch>& branches,
                            std::vector<SCOTCH_Num>& parts) {
    std::vector<SCOTCH_Num> left;
    left.reserve(branches.size());
    for (const Branch& branch : branches)
        left.push_back(branch.room);
    for (const SCOTCH_Num part : parts)
        --left[static_cast<std::size_t>(part)];
    std::vector<std::pair<double, std::size_t>> too_many;
    for (std::size_t i = 0; i < members.size(); ++i)
        if (left[static_cast<std::size_t>(parts[i])] < 0)
            too_many.push_back({said_within(members[i], parts, parts[i]), i});
    std::ranges::sort(too_many);
    for (const auto& [said, i] : too_many) {
        if (left[static_cast<std::size_t>(parts[i])] >= 0) continue;
        SCOTCH_Num best = -1;
        double most = -1;
        for (SCOTCH_Num part = 0; part < static_cast<SCOTCH_Num>(branches.size()); ++part) {
            if (left[static_cast<std::size_t>(part)] <= 0) continue;
            const double there = said_within(members[i], parts, part);
            if (there > most) std::tie(best, most) = std::pair(part, there);
        }
        ++left[static_cast<std::size_t>(parts[i])];
        --left[static_cast<std::size_t>(best)];
        parts[i] = best;
    }
}

}  // namespace

std::optional<Placement> scotch_placement(const Site& site, const Traffic& traffic, std::uint64_t seed) {
    if (site.room() == 0) return std::nullopt;
    return Division(site, traffic, seed).run();
}

}  // namespace trellis::plugins::rankmap
