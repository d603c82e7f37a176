// Evaluation: the test of Mann and Whitney, tables of errors, and the automatic choice.
#include "plugins/estimate/evaluation/error_table.hpp"

#include "plugins/estimate/evaluation/evaluation_drawing.hpp"
#include "plugins/estimate/evaluation/mann_whitney.hpp"
#include "plugins/estimate/forecast/auto_choice.hpp"
#include "tests/sim/effort.hpp"

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <random>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace trellis::plugins::estimate {
namespace {

using ::testing::HasSubstr;

History noisy_history(std::size_t rows, std::uint64_t seed) {
    std::mt19937_64 engine(seed);
    History history;
    history.columns = {"a", "b", "c"};
    history.round_trips.resize(3);
    for (std::size_t row = 0; row < rows; ++row) {
        history.times.push_back(static_cast<double>(row));
        for (std::size_t host = 0; host < 3; ++host) {
            const double lot = (static_cast<double>(engine() >> 11) + 0.5) * 0x1p-53;
            history.round_trips[host].push_back(
                at_survival({Pareto{40.0 + static_cast<double>(host), 15}}, lot));
        }
    }
    return history;
}

TEST(EstimateMannWhitney, AgreesWithTables) {
    const std::vector<double> low{1, 2, 3, 4, 5, 6, 7, 8, 9, 10},
        high{11, 12, 13, 14, 15, 16, 17, 18, 19, 20};
    EXPECT_NEAR(mann_whitney(low, high), 1.826717911e-4, 1e-10);  // scipy.stats.mannwhitneyu, asymptotic
    EXPECT_NEAR(mann_whitney(high, low), mann_whitney(low, high), 1e-15);
    EXPECT_EQ(mann_whitney(low, low), 1);
    EXPECT_EQ(mann_whitney(std::vector<double>{}, low), 1);
    EXPECT_EQ(mann_whitney(std::vector<double>{2, 2}, std::vector<double>{2}), 1);
}

TEST(EstimateErrorTable, IsTheRootMeanSquareOfWhatCameLater) {
    const History history = noisy_history(60, 1);
    const ErrorTable table = evaluate(history, {{2, 4}, {1, 3}, 0}).value();
    const std::vector<double> maxima = row_maxima(history);
    const Choice choice{Method::normal, 4};
    const auto place = std::ranges::find(table.choices, choice) - table.choices.begin();
    double squares = 0;
    std::size_t count = 0;
    for (std::size_t row = 4; row + 3 <= 60; ++row, ++count)
        squares += std::pow(expected_maximum(forecast_hosts(history, row, choice)) - maxima[row + 2], 2);
    const ErrorCell& cell = table.cells[0][static_cast<std::size_t>(place)][1];
    EXPECT_EQ(cell.count, count);
    EXPECT_NEAR(cell.rmse, std::sqrt(squares / static_cast<double>(count)), 1e-12);
}

TEST(EstimateErrorTable, ConditionsDivideTheEstimates) {
    History history = noisy_history(80, 2);
    for (std::size_t row = 40; row < 80; ++row)
        history.round_trips[0][row] *= 100;
    const ErrorTable table = evaluate(history, {{4, 8}, {1}, 0}).value();
    for (std::size_t choice = 0; choice < table.choices.size(); ++choice)
        EXPECT_EQ(table.cells[0][choice][0].count,
                  table.cells[1][choice][0].count + table.cells[2][choice][0].count);
    EXPECT_GT(table.cells[2][0][0].count, 0u);
    EXPECT_THAT(error_table_text(table), HasSubstr("RMSE in ms, some alpha <= 1"));
    EXPECT_THAT(evaluation_svg(history, table), HasSubstr("</svg>"));
}

TEST(EstimateErrorTable, IsTheSameEveryTime) {
    const History history = noisy_history(200, 3);
    const EvaluationPlan plan{{2, 32}, {1, 20}, 0};
    EXPECT_EQ(error_table_json(evaluate(history, plan).value()),
              error_table_json(evaluate(history, plan).value()));
    EXPECT_THAT(evaluate(history, {{256}, {1}, 0}).error().cause, HasSubstr("200 samples are too few"));
}

const std::size_t all_candidates = AutoChoice::candidates().size();

std::size_t place_of(std::size_t window) {
    const auto& all = AutoChoice::candidates();
    return static_cast<std::size_t>(std::ranges::find(all, window, &Choice::window) - all.begin());
}

TEST(EstimateAutoChoice, LooksNearByTheMedian) {
    const AutoChoice rule(16);
    std::vector<double> estimates(all_candidates);
    estimates[0] = 3, estimates[1] = 9, estimates[2] = 5;
    std::vector<char> truncated(all_candidates);
    EXPECT_EQ(rule.pick(estimates, truncated).candidate, place_of(8));
    truncated[place_of(8)] = 1;
    EXPECT_EQ(AutoChoice::candidates()[rule.pick(estimates, truncated).candidate],
              (Choice{Method::normal, 512}));
}

TEST(EstimateAutoChoice, LooksFarByErrors) {
    AutoChoice rule(17);
    const std::vector<char> regular(all_candidates);
    const std::vector<double> now(all_candidates, 50.0);
    EXPECT_EQ(rule.pick(now, regular).candidate, place_of(1024));
    std::vector<double> past(all_candidates, 60.0);
    past[place_of(4)] = 51;
    past[place_of(64)] = 50;
    rule.learn(past, 51);
    const auto pick = rule.pick(now, regular);
    EXPECT_EQ(pick.candidate, place_of(64));
    EXPECT_THAT(pick.reason, HasSubstr("RMSE 1 ms"));
}

// Nearby, what is usual counts while it is clearly nearer to what comes, and no longer.
TEST(EstimateAutoChoice, DoubtsThatWhatHappensNowGoesOn) {
    AutoChoice rule(2, {8, 0.5});
    const std::vector<char> regular(all_candidates);
    std::vector<double> estimates(all_candidates, 60.0);  // usual
    estimates[0] = estimates[1] = estimates[2] = 100;     // now
    rule.learn(estimates, 81.5);                          // squares 342 and 462
    EXPECT_EQ(rule.pick(estimates, regular).candidate, place_of(4));
    for (int time = 0; time < 10; ++time)
        rule.learn(estimates, 60);
    const auto doubted = rule.pick(estimates, regular);
    EXPECT_EQ(doubted.candidate, place_of(1024));
    EXPECT_THAT(doubted.reason, HasSubstr("nearer of late"));
    rule.learn(estimates, 100, 16);
    EXPECT_EQ(rule.pick(estimates, regular).candidate, place_of(4));
}

TEST(EstimateAutoChoice, LearnsFromAHistory) {
    History history = noisy_history(600, 4);
    for (std::size_t row = 300; row < 600; ++row)
        history.round_trips[2][row] += 30;
    EXPECT_LE(choose_automatically(history, 20).choice.window, 256u);
    EXPECT_EQ(choose_automatically(noisy_history(1, 5), 20).choice.method, Method::pareto);
}

// The figures of trellis-estimate(1), where that series is there.
TEST(EstimateAutoChoice, IsCloseToTheBestOnTheSecondHalfOfTheAtlasSeries) {
    if (sim::under_sanitizers) GTEST_SKIP() << "takes minutes under sanitizers";
    const char* data = std::getenv("TRELLIS_DATA");
    const std::string path = std::string(data ? data : "") + "/atlas50/rtt_aligned_240s_ms.csv";
    if (!data || !std::filesystem::exists(path))
        GTEST_SKIP() << "no series: TRELLIS_DATA names no folder with atlas50/rtt_aligned_240s_ms.csv";
    const History history = fill_lost(read_history(path).value()).history;
    const EvaluationPlan plan{{4, 1024}, {1, 4, 8, 16, 32, 90, 256, 360}, history.rows() / 2};
    const ErrorTable table = evaluate(history, plan).value();
    for (std::size_t place = 0; place < plan.horizons.size(); ++place) {
        double best = std::numeric_limits<double>::infinity(), normal = best;
        for (std::size_t choice = 0; choice < table.choices.size(); ++choice) {
            const double rmse = table.cells[0][choice][place].rmse;
            best = std::min(best, rmse);
            if (table.choices[choice].method == Method::normal) normal = std::min(normal, rmse);
        }
        EXPECT_LE(table.automatic[place].rmse, 1.02 * best) << plan.horizons[place];
        if (plan.horizons[place] < 8) continue;
        EXPECT_LT(table.automatic[place].rmse, normal) << plan.horizons[place];
    }
}

}  // namespace
}  // namespace trellis::plugins::estimate
