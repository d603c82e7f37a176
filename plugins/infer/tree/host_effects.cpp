#include "plugins/infer/tree/host_effects.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace trellis::plugins::infer {
namespace {

constexpr double least_freedom = 30;  // of pairs, for chance to be near to normal

}  // namespace

double HostEffects::add(std::span<const PairRest> rests) {
    struct Host {
        double sum = 0, count = 0;
    };
    const double n = static_cast<double>(rests.size());
    double mean = 0;
    for (const PairRest& one : rests)
        mean += one.us / n;
    std::unordered_map<std::uint32_t, Host> sides[2];
    for (const PairRest& one : rests) {
        all_.sum += (one.us - mean) * (one.us - mean);
        for (Host* host : {&sides[0][one.a], &sides[1][one.b]}) {
            host->sum += one.us - mean;
            ++host->count;
        }
    }
    all_.freedom += n - 1;
    double in_mean = 0;
    for (const auto& side : sides) {
        double counts = 0;
        for (const auto& [number, host] : side) {
            of_hosts_.sum += host.sum * host.sum / host.count;
            counts += host.count * host.count;
        }
        of_hosts_.freedom += static_cast<double>(side.size()) - 1;
        shares_ += n - counts / n;
        in_mean += counts / (n * n);
    }
    return in_mean;
}

double HostEffects::of_pair() const {
    const double alone = all_.freedom - of_hosts_.freedom;
    if (alone < 1) return all_.sum / std::max(all_.freedom, 1.0);
    return std::max(all_.sum - of_hosts_.sum, 0.0) / alone;
}

double HostEffects::of_host() const {
    if (shares_ <= 0) return 0;
    return std::max(0.0, of_hosts_.sum - of_hosts_.freedom * of_pair()) / shares_;
}

double HostEffects::excess() const {
    const double alone = all_.freedom - of_hosts_.freedom, pair = of_pair();
    if (alone < least_freedom || of_hosts_.freedom < 1 || pair <= 0) return 0;
    const double chance = std::sqrt(2 * of_hosts_.freedom * (1 + of_hosts_.freedom / alone));
    return (of_hosts_.sum / pair - of_hosts_.freedom) / chance;
}

}  // namespace trellis::plugins::infer
