// The greatest of independent latencies: integration against closed forms, 50 digits and drawing by lot.
#include "plugins/estimate/model/maximum.hpp"

#include "plugins/estimate/model/closed_form.hpp"
#include "tests/sim/effort.hpp"

#include <cmath>
#include <random>
#include <vector>

#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <boost/multiprecision/cpp_dec_float.hpp>
#include <gtest/gtest.h>

namespace trellis::plugins::estimate {
namespace {

using Exact = boost::multiprecision::cpp_dec_float_50;
using Hosts = std::vector<Distribution>;

class Lot {
  public:
    explicit Lot(std::uint64_t seed) : engine_(seed) {}
    double between(double least, double most) {
        return least + (most - least) * static_cast<double>(engine_() >> 11) * 0x1p-53;
    }
    double magnitude(double least, double most) { return std::exp(between(std::log(least), std::log(most))); }

  private:
    std::mt19937_64 engine_;
};

Hosts pareto_hosts(Lot& lot, std::size_t count) {
    Hosts hosts;
    for (std::size_t host = 0; host < count; ++host) {
        const double k = lot.magnitude(0.01, 100), alpha = 1 + lot.magnitude(0.01, 499);
        if (lot.between(0, 1) < 0.15)
            hosts.push_back({UnitMass{k}});
        else
            hosts.push_back({Pareto{k, alpha}});
    }
    return hosts;
}

double relative_error(double value, double truth) {
    return std::abs(value / truth - 1);
}

TEST(EstimateMaximum, AgreesWithInclusionAndExclusion) {
    Lot lot(1);
    for (std::size_t set = 0; set < 1000; ++set) {
        const Hosts hosts = pareto_hosts(lot, 1 + set % 12);
        const double closed = closed_form_expectation(hosts).value();
        EXPECT_LT(relative_error(Maximum(hosts).expectation().value(), closed), 1e-9) << set;
    }
}

TEST(EstimateMaximum, IsThatOfTheSourceForTwoHosts) {
    const double k1 = 41, a1 = 27.7, k2 = 41.7, a2 = 16.9;
    const double w = std::pow(k1 / k2, a1);
    const double equation_6 =
        k2 * (a1 * (w / (a1 - 1) - w / (a1 + a2 - 1)) + a2 * (1 / (a2 - 1) - w / (a2 + a1 - 1)));
    const Hosts hosts{{Pareto{k1, a1}}, {Pareto{k2, a2}}};
    EXPECT_NEAR(closed_form_expectation(hosts).value(), equation_6, 1e-11);
    EXPECT_NEAR(Maximum(hosts).expectation().value(), equation_6, 1e-9);
}

TEST(EstimateMaximum, IsThatOfEqualHosts) {
    for (const double alpha : {1.01, 2.0, 27.7, 500.0})
        for (const std::size_t n : {1u, 12u, 1000u, 20'000u}) {
            const Pareto host{41, alpha};
            const double formula = equal_pareto_expectation(n, host);
            const double integral = Maximum(Hosts(n, {host})).expectation().value();
            EXPECT_LT(relative_error(integral, formula), 1e-10) << alpha << " " << n;
        }
}

TEST(EstimateMaximum, EqualHostsUpToAMillion) {
    for (const double alpha : {1.01, 2.0, 27.7, 500.0})
        for (const std::uint64_t n : {1u, 1000u, 1'000'000u}) {
            // k n! / PROD_{i=1}^n (i - 1/a), with 64 bits.
            const long double r = 1 / static_cast<long double>(alpha);
            long double product = 1;
            for (std::uint64_t i = 1; i <= n; ++i)
                product *= static_cast<long double>(i) / (static_cast<long double>(i) - r);
            const double formula = equal_pareto_expectation(n, Pareto{41, alpha});
            EXPECT_LT(relative_error(formula, static_cast<double>(41 * product)), 1e-10) << alpha << " " << n;
        }
}

// INT of the survival of truncated distributions, divided at their ends, with 50 digits.
Exact exact_maximum(const std::vector<TruncatedPareto>& hosts, bool published) {
    Exact least = 0, end = 0;
    std::vector<Exact> at;
    for (const TruncatedPareto& host : hosts) {
        least = std::max(least, Exact(host.k));
        end = std::max(end, Exact(host.x0));
        if (!published) at.push_back(host.x0);
    }
    std::erase_if(at, [&](const Exact& x) { return x <= least; });
    at.push_back(least);
    at.push_back(end);
    std::sort(at.begin(), at.end());
    const auto below = [&](const Exact& x) {
        Exact product = 1;
        for (const TruncatedPareto& host : hosts) {
            const Exact whole = published ? Exact(1) : 1 - pow(Exact(host.k) / host.x0, Exact(host.alpha));
            if (published || x < host.x0) product *= (1 - pow(host.k / x, Exact(host.alpha))) / whole;
        }
        return product;
    };
    Exact sum = 0;
    const auto integrand = [&](const Exact& t) { return (below(end) - below(exp(t))) * exp(t); };
    for (std::size_t part = 1; part < at.size(); ++part)
        if (at[part] > at[part - 1])
            sum += boost::math::quadrature::gauss_kronrod<Exact, 61>::integrate(
                integrand, log(at[part - 1]), log(at[part]), 6, Exact(1e-16));
    return least * below(end) + sum;
}

TEST(EstimateMaximum, TruncationsAgreeWithFiftyDigits) {
    Lot lot(2);
    for (std::uint64_t set = 0; set < sim::effort(6, 2); ++set) {
        std::vector<TruncatedPareto> cuts;
        Hosts hosts;
        for (std::uint64_t host = 0; host < 2 + set % 3; ++host) {
            const double k = lot.between(40, 60);
            const double alpha = set == 0 ? 1.0 : lot.between(0.4, 1);
            cuts.push_back({k, alpha, k * std::pow(16, 1 / alpha)});
            hosts.push_back({cuts.back()});
        }
        const auto proper = exact_maximum(cuts, false).convert_to<double>();
        const auto published = exact_maximum(cuts, true).convert_to<double>();
        EXPECT_LT(relative_error(Maximum(hosts).expectation().value(), proper), 1e-9) << set;
        EXPECT_LT(relative_error(published_expectation(hosts).value(), published), 1e-9) << set;
        EXPECT_LT(relative_error(closed_form_expectation(hosts).value(), published), 1e-9) << set;
    }
}

TEST(EstimateMaximum, AgreesWithDrawingByLot) {
    Lot lot(3);
    constexpr int draws = 20'000;
    int beyond = 0;
    for (int set = 0; set < 50; ++set) {
        Hosts hosts;
        for (int host = 0; host < 1 + set % 10; ++host) {
            const double k = lot.between(40, 60);
            if (host % 3 == 2)
                hosts.push_back({Normal{k, lot.between(0.1, 5)}, lot.between(0, 3)});
            else
                hosts.push_back({Pareto{k, lot.between(2.5, 30)}});
        }
        double sum = 0, squares = 0;
        for (int draw = 0; draw < draws; ++draw) {
            double most = 0;
            for (const Distribution& host : hosts)
                most = std::max(most, at_survival(host, std::max(lot.between(0, 1), 1e-17)));
            sum += most;
            squares += most * most;
        }
        const double mean = sum / draws;
        const double error = std::sqrt((squares / draws - mean * mean) / draws);
        beyond += std::abs(Maximum(hosts).expectation().value() - mean) > 4 * error ? 1 : 0;
    }
    EXPECT_EQ(beyond, 0);
}

TEST(EstimateMaximum, NormalHostsStayWithinTheSourcesBounds) {
    const double n = 1e4, root = 2 * std::log(n) - std::log(std::log(n));
    const double expected = Maximum(Hosts(10'000, {Normal{50, 10}})).expectation().value();
    EXPECT_GT(expected, 50 + 10 * std::sqrt(root - std::log(4 * M_PI)));
    EXPECT_LT(expected, 50 + 10 * std::sqrt(root));
}

TEST(EstimateMaximum, QuantilesInvertTheProduct) {
    const Pareto pareto{41, 20};
    const Hosts hosts(100, {pareto, 2});
    for (const double q : {0.01, 0.5, 0.95, 0.999}) {
        const double exact = 2 + 41 * std::pow(1 - std::pow(q, 0.01), -1 / 20.0);
        EXPECT_LT(relative_error(Maximum(hosts).quantile(q), exact), 1e-12) << q;
    }
    EXPECT_EQ(Maximum(Hosts{{UnitMass{3}}, {UnitMass{4}}}).quantile(0.5), 4);
}

TEST(EstimateMaximum, TakesDegenerateHosts) {
    EXPECT_EQ(Maximum(Hosts{{UnitMass{3}}, {UnitMass{4}, 1}}).expectation().value(), 5);
    EXPECT_FALSE(Maximum(Hosts{{Pareto{41, 1}}}).expectation());
    EXPECT_FALSE(closed_form_expectation(Hosts{{Pareto{41, 1}}}));
    EXPECT_FALSE(closed_form_expectation(Hosts{{Normal{41, 1}}}));
    EXPECT_FALSE(closed_form_expectation(Hosts(13, {Pareto{41, 2}})));
    // The truncation ends before another host begins.
    EXPECT_FALSE(published_expectation(Hosts{{TruncatedPareto{1, 1, 2}}, {Pareto{41, 2}}}));
    // A mass that is greater than nearly all of another host decides with it.
    const Hosts mixed{{UnitMass{82}}, {Pareto{41, 2}}};
    EXPECT_NEAR(Maximum(mixed).expectation().value(), 82 + 41 * 41 / 82.0, 1e-9);
    EXPECT_NEAR(closed_form_expectation(mixed).value(), 82 + 41 * 41 / 82.0, 1e-9);
}

TEST(EstimateMaximum, OfObservationsIsExact) {
    // Of {1, 2} and {1, 3}: 1, 2, 3, 3.
    const Hosts hosts{{Empirical{{1, 2}}}, {Empirical{{1, 3}}}};
    EXPECT_NEAR(Maximum(hosts).expectation().value(), 2.25, 1e-12);
    EXPECT_NEAR(
        Maximum(Hosts{{Empirical{{1, 2}}}, {Empirical{{1, 3}}}, {UnitMass{2.5}}}).expectation().value(), 2.75,
        1e-12);
}

}  // namespace
}  // namespace trellis::plugins::estimate
