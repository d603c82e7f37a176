#include "plugins/estimate/collective/simulation.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace trellis::plugins::estimate {
namespace {

constexpr std::size_t most_draws = 20'000, least_draws = 1'000, most_latencies = 5'000'000;

class Lots {
  public:
    double draw(const Distribution& distribution) {
        return at_survival(distribution, (static_cast<double>(engine_() >> 11) + 0.5) * 0x1p-53);
    }

  private:
    std::mt19937_64 engine_{1};
};

double one_round(const Collective& collective, Lots& lots) {
    std::vector<double> shared(collective.shared.size()), free(collective.nodes);
    std::ranges::transform(collective.shared, shared.begin(),
                           [&](const Distribution& link) { return lots.draw(link); });
    double end = 0;
    for (std::size_t place = 0; place < collective.schedule.size(); ++place) {
        const auto [from, to] = collective.schedule[place];
        const SendCost& cost = collective.costs[place];
        double latency = lots.draw(cost.own);
        for (const std::size_t link : cost.shared)
            latency += shared[link];
        free[from] += cost.transfer;
        free[to] = free[from] + std::max(0.0, latency);
        end = std::max(end, free[to]);
    }
    return end;
}

}  // namespace

std::vector<double> simulate(const Collective& collective) {
    const std::size_t cost = collective.rounds * collective.schedule.size() + 1;
    std::vector<double> taken(std::clamp(most_latencies / cost, least_draws, most_draws));
    Lots lots;
    for (double& time : taken)
        for (std::size_t round = 0; round < collective.rounds; ++round)
            time += one_round(collective, lots);
    std::ranges::sort(taken);
    return taken;
}

}  // namespace trellis::plugins::estimate
