#include "plugins/infer/tree/branch_means.hpp"

#include <numeric>

namespace trellis::plugins::infer {
namespace {

constexpr int centring_rounds = 40;

}  // namespace

void BranchMeans::centre() {
    const double total = std::accumulate(hosts.begin(), hosts.end(), 0.0);
    std::vector<double> y(count(), 0);
    for (int round = 0; round < centring_rounds; ++round)
        for (std::size_t b = 0; b < count(); ++b) {
            double sum = 0;
            for (std::size_t c = 0; c < count(); ++c)
                if (c != b) sum += hosts[c] * (at(b, c) - y[c]);
            y[b] = sum / (total - hosts[b]);
        }
    for (std::size_t b = 0; b < count(); ++b)
        for (std::size_t c = 0; c < count(); ++c)
            at(b, c) = b == c ? 0 : at(b, c) - y[b] - y[c];
}

}  // namespace trellis::plugins::infer
