// broadcast_bench: bcast in the simulated world.
//   broadcast_bench cut-through [HOSTS [MEGABYTES]]   (default 1024, 4) the time beside that of an ideal
//       pipeline: the size divided by the rate of the links, and a hop for each host
//   broadcast_bench chaos [ROUNDS [SEED]]             (default 5000, 1) rounds with mishaps; those that went
//       wrong
#include "tests/scenario/bcast_chaos.hpp"
#include "tests/scenario/cut_through.hpp"

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace {

using namespace trellis;

int cut_through_of(std::size_t hosts, std::size_t megabytes) {
    const CutThrough trial = cut_through(hosts, megabytes * 1'000'000);
    std::printf("%zu hosts, %zu MB: %.3f s, ideal %.3f s, ratio %.4f; %zu hosts have it\n", hosts, megabytes,
                trial.taken, trial.ideal, trial.taken / trial.ideal, trial.have);
    return trial.have == hosts ? 0 : 1;
}

int chaos(std::size_t rounds, std::size_t seed) {
    std::size_t failed = 0;
    for (std::size_t i = 0; i < rounds; ++i) {
        const std::string wrong = BcastChaos(seed + i).run();
        if (wrong.empty()) continue;
        ++failed;
        std::printf("seed %zu: %s\n", seed + i, wrong.c_str());
        std::fflush(stdout);
    }
    std::printf("%zu rounds, %zu went wrong\n", rounds, failed);
    return failed == 0 ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
    const auto number = [&](int place, std::size_t otherwise) {
        return count > place ? std::strtoul(words[place], nullptr, 10) : otherwise;
    };
    const std::string_view what = count > 1 ? words[1] : "";
    if (what == "cut-through") return cut_through_of(number(2, 1024), number(3, 4));
    if (what == "chaos") return chaos(number(2, 5000), number(3, 1));
    std::fprintf(stderr, "usage: broadcast_bench cut-through [HOSTS [MEGABYTES]] | chaos [ROUNDS [SEED]]\n");
    return 2;
}
