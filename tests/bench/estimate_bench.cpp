// How long an estimate takes: the expected maximum of 12 hosts by integration and by the source's closed
// form, and of 10,000 hosts of all kinds, with its quantiles; the median of several runs each. Prints a
// markdown table.
#include "plugins/estimate/model/closed_form.hpp"
#include "plugins/estimate/model/maximum.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <functional>
#include <random>
#include <sys/resource.h>
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

}  // namespace

int main() {
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
}
