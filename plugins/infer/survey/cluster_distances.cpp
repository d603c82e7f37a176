#include "plugins/infer/survey/cluster_distances.hpp"

#include "plugins/infer/tree/host_effects.hpp"
#include "plugins/infer/tree/robust_scale.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

namespace trellis::plugins::infer {
namespace {

constexpr double least_error = 4e-4;  // of a round trip
constexpr double wild = 4;            // deviations

using PairRests = std::vector<PairRest>;

double middle_of(const PairRests& rests) {
    double sum = 0;
    for (const PairRest& one : rests)
        sum += one.us;
    return sum / static_cast<double>(rests.size());
}

class DistanceFit {
  public:
    DistanceFit(std::span<const PairSample> samples, std::span<const std::size_t> cluster_of,
                std::span<const double> away, std::size_t clusters)
        : m_(clusters), rests_(m_ * m_) {
        for (const PairSample& one : samples) {
            const std::size_t c = cluster_of[one.a], d = cluster_of[one.b];
            const double rest = one.rtt_us - away[one.a] - away[one.b];
            if (c < d) rests_[c * m_ + d].push_back({one.a, one.b, rest});
            if (d < c) rests_[d * m_ + c].push_back({one.b, one.a, rest});
        }
    }

    ClusterDistances run() {
        ClusterDistances found{PairTable(m_), scatter()};
        take_off_hosts();
        HostEffects effects;
        std::vector<double> of_hosts(rests_.size(), 0);
        for_each([&](std::size_t c, std::size_t d, const PairRests& rests) {
            found.mean.add(c, d, middle_of(rests), 0);
            of_hosts[c * m_ + d] = effects.add(rests);
        });
        weigh(found, effects, of_hosts);
        return found;
    }

  private:
    template <class Visit>
    void for_each(Visit visit) {
        for (std::size_t c = 0; c < m_; ++c)
            for (std::size_t d = c + 1; d < m_; ++d)
                if (PairRests& rests = rests_[c * m_ + d]; !rests.empty()) visit(c, d, rests);
    }

    // Wild pairs go.
    double scatter() {
        std::vector<double> all;
        for_each([&](std::size_t, std::size_t, PairRests& rests) {
            std::vector<double> values, sizes;
            for (const PairRest& one : rests)
                values.push_back(one.us);
            const double middle = median(std::move(values));
            for (const PairRest& one : rests)
                sizes.push_back(std::abs(one.us - middle));
            all.insert(all.end(), sizes.begin(), sizes.end());
            const double limit = wild * 1.4826 * median(std::move(sizes)) + 1e-6;
            std::erase_if(rests, [&](const PairRest& one) { return std::abs(one.us - middle) > limit; });
        });
        return 1.4826 * median(std::move(all)) + 1e-3;
    }

    // What a host's round trips to all clusters have in common is its own link's, not a link's between them.
    void take_off_hosts() {
        std::map<HostNumber, std::pair<double, double>> own;  // sum and count
        for_each([&](std::size_t, std::size_t, const PairRests& rests) {
            const double mean = middle_of(rests);
            for (const PairRest& one : rests)
                for (const HostNumber host : {one.a, one.b}) {
                    own[host].first += one.us - mean;
                    ++own[host].second;
                }
        });
        for_each([&](std::size_t, std::size_t, PairRests& rests) {
            for (PairRest& one : rests)
                for (const HostNumber host : {one.a, one.b})
                    one.us -= own[host].first / own[host].second;
        });
    }

    // `of_hosts`: by cluster and cluster, by what part the variance of hosts goes into their mean.
    void weigh(ClusterDistances& found, const HostEffects& effects, const std::vector<double>& of_hosts) {
        // What hosts have in common with all clusters has been taken off, and with it one part of the rest.
        const double left = m_ > 2 ? static_cast<double>(m_ - 2) / static_cast<double>(m_ - 1) : 1;
        std::vector<double> logs(m_, 0), counts(m_, 0);
        for_each([&](std::size_t c, std::size_t d, const PairRests& rests) {
            const double least = least_error * found.mean.rtt(c, d) + 1e-3;
            const double log = std::log(effects.of_pair() / static_cast<double>(rests.size()) +
                                        effects.of_host() / left * of_hosts[c * m_ + d] + least * least);
            for (const std::size_t end : {c, d}) {
                logs[end] += log;
                ++counts[end];
            }
        });
        const double count = std::accumulate(counts.begin(), counts.end(), 0.0);
        if (count == 0) return;
        const double usual = std::accumulate(logs.begin(), logs.end(), 0.0) / count;
        found.error_us = std::exp(usual / 2);
        for (std::size_t c = 0; c < m_ && m_ > 2; ++c)
            if (counts[c] > 0) found.mean.set_weight(c, std::exp((usual - logs[c] / counts[c]) / left));
    }

    std::size_t m_;
    std::vector<PairRests> rests_;  // by cluster and cluster, the lower number first
};

}  // namespace

ClusterDistances cluster_distances(std::span<const PairSample> samples,
                                   std::span<const std::size_t> cluster_of, std::span<const double> away,
                                   std::size_t clusters) {
    return DistanceFit(samples, cluster_of, away, clusters).run();
}

}  // namespace trellis::plugins::infer
