// Fits and their degenerate cases.
#include "plugins/estimate/model/fit.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace trellis::plugins::estimate {
namespace {

using Observations = std::vector<double>;

Observations quantiles(const Shape& shape, std::size_t count) {
    Observations all;
    for (std::size_t place = 0; place < count; ++place)
        all.push_back(at_survival({shape}, (static_cast<double>(place) + 0.5) / static_cast<double>(count)));
    return all;
}

TEST(EstimateFit, ParetoByMaximumLikelihood) {
    const Fit fit = fit_pareto(Observations{4, 2, 8});
    EXPECT_EQ(fit.fit_case, FitCase::regular);
    EXPECT_EQ(std::get<Pareto>(fit.shape).k, 2);
    EXPECT_NEAR(fit.alpha, 3 / std::log(8.0), 1e-12);
}

TEST(EstimateFit, ParetoFindsItsParameters) {
    const Fit fit = fit_pareto(quantiles(Pareto{41, 27.7}, 10'000));
    EXPECT_EQ(fit.fit_case, FitCase::regular);
    EXPECT_NEAR(std::get<Pareto>(fit.shape).k, 41, 1e-3);
    EXPECT_NEAR(std::get<Pareto>(fit.shape).alpha, 27.7, 0.1);
}

TEST(EstimateFit, EqualObservationsAreAMass) {
    for (const Observations& observations : {Observations{3, 3, 3}, Observations{3}}) {
        for (const Fit& fit :
             {fit_pareto(observations), fit_normal(observations), fit_empirical(observations)}) {
            EXPECT_EQ(fit.fit_case, FitCase::all_equal);
            EXPECT_EQ(fit.shape, Shape(UnitMass{3}));
        }
    }
    EXPECT_EQ(fit_pareto(Observations{3}).alpha, std::numeric_limits<double>::infinity());
}

TEST(EstimateFit, AlphaOfExactlyOneIsTruncated) {
    const Observations observations{1, std::exp(2.0)};  // alpha = 2 / 2
    const Fit fit = fit_pareto(observations);
    ASSERT_EQ(fit.fit_case, FitCase::truncated);
    const auto cut = std::get<TruncatedPareto>(fit.shape);
    EXPECT_EQ(cut.alpha, 1);
    EXPECT_EQ(cut.x0, 2);
    EXPECT_NEAR(mean_time({cut}), 2 * std::log(2.0), 1e-12);
}

TEST(EstimateFit, RefusesWhatIsNoTime) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE(check_observations(Observations{1, 2}));
    for (const Observations& bad : {Observations{}, Observations{1, 0}, Observations{-1}, Observations{nan}})
        EXPECT_FALSE(check_observations(bad));
    EXPECT_EQ(check_observations(Observations{1, 0}).error().cause, "observation 2 is not above 0");
}

TEST(EstimateFit, GoodnessTellsTheShapesApart) {
    const Observations tailed = quantiles(Pareto{41, 5}, 500), bell = quantiles(Normal{50, 2}, 500);
    EXPECT_LT(goodness_of_fit(tailed, fit_pareto(tailed).shape),
              goodness_of_fit(tailed, fit_normal(tailed).shape));
    EXPECT_LT(goodness_of_fit(bell, fit_normal(bell).shape), goodness_of_fit(bell, fit_pareto(bell).shape));
    EXPECT_EQ(goodness_of_fit(Observations{2, 2}, UnitMass{2}), 0);
}

TEST(EstimateDistribution, SurvivalAndItsInverseAgree) {
    const std::vector<Distribution> all{{Pareto{41, 27.7}},
                                        {Normal{44, 2.8}, 3},
                                        {TruncatedPareto{41, 1, 500}},
                                        {TruncatedPareto{41, 0.3, 1e9}, 1}};
    for (const Distribution& distribution : all)
        for (const double s : {1e-6, 0.01, 0.5, 0.99})
            EXPECT_NEAR(survival(distribution, at_survival(distribution, s)) / s, 1, 1e-6)
                << distribution_text(distribution) << " " << s;
}

TEST(EstimateDistribution, NamesTheParameterThatIsOutOfBounds) {
    EXPECT_EQ(validate({Pareto{41, 0}}).error().cause, "alpha is not above 0");
    EXPECT_EQ(validate({TruncatedPareto{41, 1, 41}}).error().cause, "x0 is not above k");
    EXPECT_TRUE(validate({Normal{-1, 1}}));
    EXPECT_EQ(distribution_text({Pareto{41.7, 16.9}, 1}), "pareto k=41.7 alpha=16.9 c=1");
}

}  // namespace
}  // namespace trellis::plugins::estimate
