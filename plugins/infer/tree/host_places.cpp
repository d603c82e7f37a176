#include "plugins/infer/tree/host_places.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace trellis::plugins::infer {
namespace {

// Hosts are likelier where others are: one alone counts as this many.
constexpr double lone_host = 0.1;

}  // namespace

HostPlaces::HostPlaces(const TreeFit& fit, Node host)
    : fit_(fit),
      own_(fit.place_of(host)),
      company_(fit.switches().size(), lone_host),
      costs_(fit.switches().size(), 0) {
    const PairTable& table = fit.table();
    std::vector<double> count(costs_.size(), 0), sum(costs_.size(), 0);
    for (Node other = 0; other < table.hosts(); ++other) {
        const std::size_t place = fit.place_of(other);
        if (other != host) ++company_[place];
        if (!table.measured(host, other)) continue;
        const double weight = table.weight(host) * table.weight(other);
        count[place] += weight;
        sum[place] += weight * (table.rtt(host, other) - fit.leg(other));
    }
    weigh(count, sum);
}

// By place: the weight of the pairs that were measured with hosts there, and the weighed sum of what that
// left beyond their legs.
void HostPlaces::weigh(const std::vector<double>& count, const std::vector<double>& sum) {
    const double all = std::accumulate(count.begin(), count.end(), 0.0);
    for (std::size_t place = 0; place < costs_.size() && all > 0; ++place) {
        double squares = 0, rest = 0;
        for (std::size_t g = 0; g < costs_.size(); ++g) {
            const double d = fit_.between(place, g);
            squares += d * (count[g] * d - 2 * sum[g]);
            rest += sum[g] - count[g] * d;
        }
        costs_[place] =
            squares - rest * rest / all - 2 * fit_.sigma() * fit_.sigma() * std::log(company_[place]);
    }
}

Node HostPlaces::best() const {
    std::size_t best = own_;
    double least = costs_[best] - 0.1 * fit_.sigma() * fit_.sigma();
    for (std::size_t place = 0; place < costs_.size(); ++place) {
        if (costs_[place] >= least) continue;
        least = costs_[place];
        best = place;
    }
    return fit_.switches()[best];
}

double HostPlaces::confidence() const {
    double others = 0;
    for (const double cost : costs_)
        others += std::exp(std::min(0.0, (costs_[own_] - cost) / (2 * fit_.sigma() * fit_.sigma())));
    return 1 / others;
}

}  // namespace trellis::plugins::infer
