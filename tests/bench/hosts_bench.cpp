// hosts_bench: how long folding and expanding 100,000 host names takes, for sets of several shapes, sorted
// and in random order. Prints the least and the median of some rounds in milliseconds of processor time.
#include "agentd/model/host_range.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <random>

namespace {

using namespace trellis;
using Names = std::vector<std::string>;

constexpr int rounds = 21;

struct Times {
    double least, median;
};

Times time_of(const std::function<void()>& work) {
    std::vector<double> times;
    for (int round = 0; round < rounds; ++round) {
        const std::clock_t begun = std::clock();
        work();
        times.push_back(1e3 * static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC);
    }
    std::sort(times.begin(), times.end());
    return {times.front(), times[rounds / 2]};
}

// Every second name, as chance has it: nothing folds into long intervals.
Names half_of(const std::string& range) {
    Names names = expand_hosts(range, 200'000).value();
    std::ranges::shuffle(names, std::mt19937(2));
    names.resize(names.size() / 2);
    std::ranges::sort(names);
    return names;
}

// No two names have the same letters.
Names different_letters() {
    Names names;
    for (int i = 0; i < 100'000; ++i) {
        std::string name = "host-";
        for (int rest = i; rest > 0; rest /= 26)
            name += static_cast<char>('a' + rest % 26);
        names.push_back(name + ".example.org");
    }
    return names;
}

void report(const char* what, Names names) {
    const Times sorted = time_of([&] { (void)fold_hosts(names); });
    const std::string folded = fold_hosts(names);
    const Times expanded = time_of([&] { (void)expand_hosts(folded).value(); });
    if (expand_hosts(folded).value().size() != names.size()) std::abort();
    std::ranges::shuffle(names, std::mt19937(1));
    const Times shuffled = time_of([&] { (void)fold_hosts(names); });
    std::printf(
        "%-34s %7zu names %8zu characters: fold %5.1f (%5.1f), shuffled %5.1f (%5.1f), expand %5.1f "
        "(%5.1f)\n",
        what, names.size(), folded.size(), sorted.least, sorted.median, shuffled.least, shuffled.median,
        expanded.least, expanded.median);
}

}  // namespace

int main() {
    std::puts("milliseconds of processor time: least (median)");
    for (const char* range : {"a[00000-99999]", "a[0-99999]", "rack[001-100]-n[0000-0999]",
                              "s[0-9]r[00-99]n[00-99].c.example.org", "a[00000-49999],b[0-9]c[0000-4999]"})
        report(range, expand_hosts(range).value());
    report("half of a[000000-199999]", half_of("a[000000-199999]"));
    report("half of s[0-19]r[0-99]n[0-99]", half_of("s[0-19]r[0-99]n[0-99]"));
    report("names without numbers", different_letters());
}
