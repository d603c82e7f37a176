// How long an estimate takes: the expected maximum of 12 hosts by integration and by the source's closed
// form, and of 10,000 hosts of all kinds, with its quantiles; the median of several runs each. Then, on the
// first half of a series of round-trip times, how what the automatic method does nearby was chosen. Prints
// markdown tables. Usage: estimate_bench [FILE]
#include "plugins/estimate/evaluation/error_table.hpp"
#include "plugins/estimate/model/closed_form.hpp"
#include "plugins/estimate/model/maximum.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <sys/resource.h>
#include <utility>
#include <vector>

namespace {

using namespace trellis::plugins::estimate;

double between(std::mt19937_64& engine, double least, double most) {
    return least + (most - least) * static_cast<double>(engine() >> 11) * 0x1p-53;
}

std::vector<Distribution> pareto_hosts(std::size_t count) {
    std::mt19937_64 engine(1);
    std::vector<Distribution> hosts;
    for (std::size_t host = 0; host < count; ++host)
        hosts.push_back({Pareto{between(engine, 40, 50), between(engine, 2, 30)}});
    return hosts;
}

Shape shape_of_kind(std::mt19937_64& engine, std::size_t kind, bool truncated) {
    const double k = between(engine, 40, 60), alpha = between(engine, 0.5, 1);
    if (kind == 0) return Pareto{k, between(engine, 2, 30)};
    if (kind == 1) return Normal{k, between(engine, 0.5, 6)};
    if (kind == 2) return UnitMass{k};
    if (truncated) return TruncatedPareto{k, alpha, k * std::pow(32, 1 / alpha)};
    return Pareto{k, 20};
}

std::vector<Distribution> mixed_hosts(std::size_t count, bool truncated) {
    std::mt19937_64 engine(2);
    std::vector<Distribution> hosts;
    for (std::size_t host = 0; host < count; ++host)
        hosts.push_back({shape_of_kind(engine, host % 4, truncated)});
    return hosts;
}

double microseconds(int runs, int repeated, const std::function<void()>& work) {
    std::vector<double> taken;
    for (int run = 0; run < runs; ++run) {
        const std::clock_t started = std::clock();
        for (int time = 0; time < repeated; ++time)
            work();
        taken.push_back(1e6 * static_cast<double>(std::clock() - started) / CLOCKS_PER_SEC / repeated);
    }
    std::ranges::sort(taken);
    return taken[taken.size() / 2];
}

void print_row(const char* what, double us) {
    std::printf("| %s | %.3f |\n", what, us / 1e3);
}

// A way of estimating nearby, on the first half of a series: its root mean square error at each horizon, by
// that of the best fixed choice there.
struct NearWay {
    std::string name;
    std::vector<double> ratios;  // [horizon]
    [[nodiscard]] double mean() const {
        return std::accumulate(ratios.begin(), ratios.end(), 0.0) / static_cast<double>(ratios.size());
    }
};

class NearWays {
  public:
    explicit NearWays(History first_half)
        : history_(std::move(first_half)), maxima_(row_maxima(history_)), rows_(history_.rows() - 1) {
        EvaluationPlan plan{{}, horizons_, 0};
        std::vector<Choice> pareto;
        for (std::size_t window = 2; window <= longest; window *= 2) {
            plan.windows.push_back(window);
            pareto.push_back({Method::pareto, window});
        }
        std::iota(rows_.begin(), rows_.end(), 1);
        series_ = estimate_series(history_, pareto, rows_);
        const ErrorTable table = evaluate(history_, plan).value();
        best_.assign(horizons_.size(), std::numeric_limits<double>::infinity());
        for (const auto& choice : table.cells[0])
            for (std::size_t place = 0; place < horizons_.size(); ++place)
                best_[place] = std::min(best_[place], choice[place].rmse);
    }

    // The median of Pareto fits to the last so many, twice as many, ... samples.
    [[nodiscard]] std::vector<NearWay> medians() const {
        std::vector<NearWay> ways;
        for (std::size_t first = 0; first < series_.size(); ++first)
            for (std::size_t last = first; last < series_.size(); last += 2)
                ways.push_back(way(std::to_string(series_[first].choice.window) + " to " +
                                       std::to_string(series_[last].choice.window),
                                   [&](std::size_t horizon) { return rmse(first, last, horizon); }));
        return ways;
    }
    // The automatic method, which doubts sooner or later that what happens now goes on.
    [[nodiscard]] std::vector<NearWay> doubts() const {
        const auto candidates = estimate_series(history_, AutoChoice::candidates(), rows_);
        std::vector<NearWay> ways;
        for (const double memory : {4.0, 8.0, 12.0, 16.0, 20.0, 24.0, 32.0, 64.0})
            for (const double share : {1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.0}) {
                char name[64];
                std::snprintf(name, sizeof name, "%g times, %g", memory, share);
                ways.push_back(way(name, [&](std::size_t horizon) {
                    const AutoChoice rule(horizon, {memory, share});
                    return score_automatic_choice(rule, horizon, candidates, maxima_, longest).rmse;
                }));
            }
        return ways;
    }

    static constexpr std::size_t longest = 1024;

  private:
    [[nodiscard]] NearWay way(std::string name, const std::function<double(std::size_t)>& error) const {
        NearWay found{std::move(name), {}};
        for (std::size_t place = 0; place < horizons_.size(); ++place)
            found.ratios.push_back(error(horizons_[place]) / best_[place]);
        return found;
    }
    [[nodiscard]] double rmse(std::size_t first, std::size_t last, std::size_t horizon) const {
        double squares = 0;
        std::size_t count = 0;
        for (std::size_t row = longest; row + horizon <= maxima_.size(); ++row, ++count) {
            std::vector<double> estimates;
            for (std::size_t window = first; window <= last; ++window)
                estimates.push_back(series_[window].expected[row - 1]);
            std::ranges::sort(estimates);
            const double error = estimates[estimates.size() / 2] - maxima_[row + horizon - 1];
            squares += error * error;
        }
        return std::sqrt(squares / static_cast<double>(count));
    }

    const std::vector<std::size_t> horizons_{1, 2, 4, 8, 16};
    History history_;
    std::vector<double> maxima_;
    std::vector<std::size_t> rows_;
    std::vector<EstimateSeries> series_;  // [window]
    std::vector<double> best_;            // [horizon], the error of the best fixed choice
};

// The eight with the least mean ratio.
void print_ways(const char* what, std::vector<NearWay> ways) {
    std::ranges::stable_sort(ways, {}, &NearWay::mean);
    std::printf("\n| %s | 1 | 2 | 4 | 8 | 16 | mean |\n|---|---|---|---|---|---|---|\n", what);
    for (std::size_t place = 0; place < 8; ++place) {
        std::printf("| %s |", ways[place].name.c_str());
        for (const double ratio : ways[place].ratios)
            std::printf(" %.3f |", ratio);
        std::printf(" %.4f |\n", ways[place].mean());
    }
}

void print_near_ways(const char* path) {
    const auto whole = read_history(path);
    if (!whole || whole.value().rows() <= 2 * (NearWays::longest + 16)) {
        std::fprintf(stderr, "estimate_bench: %s\n",
                     whole ? "too few samples" : whole.error().message().c_str());
        std::exit(1);
    }
    History half = fill_lost(whole.value()).history;
    half.times.resize(half.rows() / 2);
    for (std::vector<double>& column : half.round_trips)
        column.resize(half.times.size());
    std::puts("\nThe first half of the series: error by that of the best fixed choice, samples ahead");
    const NearWays ways(std::move(half));
    print_ways("the median of Pareto, m =", ways.medians());
    print_ways("what is usual counts by its errors, half-life and share", ways.doubts());
}

}  // namespace

int main(int count, char** arguments) {
    double kept = 0;  // so that nothing is left out as useless
    std::puts("| what | ms |\n|---|---|");
    const auto twelve = pareto_hosts(12);
    print_row("12 hosts, closed form",
              microseconds(15, 100, [&] { kept += closed_form_expectation(twelve).value(); }));
    print_row("12 hosts, integration",
              microseconds(15, 100, [&] { kept += Maximum(twelve).expectation().value(); }));
    for (const bool truncated : {false, true}) {
        const auto many = mixed_hosts(10'000, truncated);
        print_row(truncated ? "10,000 mixed hosts, a quarter truncated" : "10,000 mixed hosts",
                  microseconds(15, 1, [&] { kept += Maximum(many).expectation().value(); }));
        print_row("their quantile of 0.99",
                  microseconds(15, 1, [&] { kept += Maximum(many).quantile(0.99); }));
    }
    print_row(
        "10,000 equal Pareto hosts", microseconds(15, 1, [&] {
            kept += Maximum(std::vector<Distribution>(10'000, {Pareto{41, 27.7}})).expectation().value();
        }));
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    std::printf("\ngreatest memory: %.1f MB%s\n", static_cast<double>(usage.ru_maxrss) / 1024,
                kept > 0 ? "" : ", and nothing was computed");
    if (count > 1) print_near_ways(arguments[1]);
}
