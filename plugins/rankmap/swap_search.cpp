#include "plugins/rankmap/swap_search.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

namespace trellis::plugins::rankmap {
namespace {

// Of each rank, at most: more makes small programs' placements no better.
constexpr std::size_t most_lookups_per_rank = 200'000;

// Slots in depth-first order, so that near ones have near numbers, and who has them: a rank, or a number from
// the number of ranks on, which is nobody.
class Annealing {
  public:
    Annealing(const Site& site, const Traffic& traffic, const PathCosts& costs, const Placement& placement,
              std::uint64_t seed);

    void run(double hot, std::size_t effort);
    // What all swaps so far have made it cheaper.
    [[nodiscard]] double gain() const { return gain_; }
    [[nodiscard]] Placement placement() const;

  private:
    struct Swap {
        std::size_t rank = 0, slot = 0;  // where it would go
        double change = 0;               // of the cost
    };

    [[nodiscard]] std::size_t draw(std::size_t below) { return random_() % below; }
    [[nodiscard]] double draw_share() { return static_cast<double>(random_() >> 11) * 0x1p-53; }
    Swap propose();
    [[nodiscard]] double change(std::size_t who, std::size_t other, HostIndex from, HostIndex to) const;
    void carry_out(const Swap& swap);
    [[nodiscard]] double usual_change();

    const Traffic& traffic_;
    const PathCosts& costs_;
    std::mt19937_64 random_;
    std::vector<HostIndex> host_of_slot_;
    std::vector<std::size_t> slot_of_, who_;
    std::vector<std::size_t> talking_;  // ranks that have peers
    std::size_t lookups_ = 0;
    double gain_ = 0;
};

Annealing::Annealing(const Site& site, const Traffic& traffic, const PathCosts& costs,
                     const Placement& placement, std::uint64_t seed)
    : traffic_(traffic), costs_(costs), random_(seed) {
    host_of_slot_ = fill(site, depth_first_hosts(site.topology), site.room());
    std::vector<std::size_t> next_slot(site.slots.size());
    for (std::size_t slot = host_of_slot_.size(); slot-- > 0;)
        next_slot[host_of_slot_[slot]] = slot;
    who_.assign(host_of_slot_.size(), host_of_slot_.size());
    slot_of_.resize(host_of_slot_.size());
    for (std::size_t rank = 0; rank < placement.size(); ++rank)
        who_[next_slot[placement[rank]]++] = rank;
    std::size_t nobody = placement.size();
    for (std::size_t slot = 0; slot < who_.size(); ++slot) {
        if (who_[slot] == who_.size()) who_[slot] = nobody++;
        slot_of_[who_[slot]] = slot;
    }
    for (std::size_t rank = 0; rank < traffic.ranks(); ++rank)
        if (!traffic.peers(rank).empty()) talking_.push_back(rank);
}

// If `who` goes there; what it says to `other`, who comes from there, costs the same.
double Annealing::change(std::size_t who, std::size_t other, HostIndex from, HostIndex to) const {
    double sum = 0;
    for (const TrafficPeer& peer : traffic_.peers(who)) {
        if (peer.rank == other) continue;
        const HostIndex there = host_of_slot_[slot_of_[peer.rank]];
        sum += peer.amount * (costs_.between(to, there) - costs_.between(from, there));
    }
    return sum;
}

// Of a rank to a slot near a peer, near being as often 1 slot as 2, 4, 8, ... to either side.
Annealing::Swap Annealing::propose() {
    Swap swap;
    swap.rank = talking_[draw(talking_.size())];
    const auto own = traffic_.peers(swap.rank);
    const std::size_t slots = who_.size(), peer_slot = slot_of_[own[draw(own.size())].rank];
    const std::size_t reach = std::size_t{1} << draw(static_cast<std::size_t>(std::bit_width(slots)));
    swap.slot = (peer_slot + slots + draw(2 * reach + 1) % slots - reach % slots) % slots;
    const std::size_t other = who_[swap.slot];
    const HostIndex from = host_of_slot_[slot_of_[swap.rank]], to = host_of_slot_[swap.slot];
    if (from == to) return swap;
    lookups_ += own.size() + traffic_.peers(other).size();
    swap.change = change(swap.rank, other, from, to) + change(other, swap.rank, to, from);
    return swap;
}

void Annealing::carry_out(const Swap& swap) {
    const std::size_t other = who_[swap.slot], from = slot_of_[swap.rank];
    who_[from] = other;
    slot_of_[other] = from;
    who_[swap.slot] = swap.rank;
    slot_of_[swap.rank] = swap.slot;
    gain_ -= swap.change;
}

double Annealing::usual_change() {
    constexpr int samples = 1000;
    double sum = 0;
    for (int i = 0; i < samples; ++i)
        sum += std::abs(propose().change);
    return sum / samples;
}

void Annealing::run(double hot, std::size_t effort) {
    if (talking_.empty()) return;
    constexpr double cold = 0.002, still = 0.9;  // shares of the usual change, and of the effort
    const double usual = usual_change();
    if (usual <= 0) return;
    lookups_ = 0;
    double temperature = 0;
    for (std::size_t tries = 0; lookups_ < effort && tries < effort; ++tries) {
        if (tries % 64 == 0) {
            const double done = static_cast<double>(std::max(lookups_, tries)) / static_cast<double>(effort);
            temperature = done < still ? usual * hot * std::pow(cold / hot, done / still) : 0;
        }
        const Swap swap = propose();
        if (swap.change <= 0 || (temperature > 0 && draw_share() < std::exp(-swap.change / temperature)))
            carry_out(swap);
    }
}

Placement Annealing::placement() const {
    Placement placement;
    for (std::size_t rank = 0; rank < traffic_.ranks(); ++rank)
        placement.push_back(host_of_slot_[slot_of_[rank]]);
    return placement;
}

}  // namespace

Placement improve_by_swaps(const Site& site, const Traffic& traffic, const PathCosts& costs,
                           const Placement& placement, const SwapSearch& search) {
    Annealing annealing(site, traffic, costs, placement, search.seed);
    annealing.run(search.hot, std::min(search.effort, most_lookups_per_rank * traffic.ranks()));
    return annealing.gain() > 0 ? annealing.placement() : placement;
}

}  // namespace trellis::plugins::rankmap
