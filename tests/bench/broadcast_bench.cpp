// broadcast_bench: bcast to many simulated hosts in a chain; the time beside that of an ideal pipeline, the
// size divided by the rate of the links and a hop for each host.
// Usage: broadcast_bench [HOSTS [MEGABYTES]]   (default 1024 hosts, 4 MB; takes 2 copies of it for each host)
#include "tests/scenario/cut_through.hpp"

#include <cstdio>
#include <cstdlib>

int main(int count, char** words) {
    using namespace trellis;
    const std::size_t hosts = count > 1 ? std::strtoul(words[1], nullptr, 10) : 1024;
    const std::size_t bytes = (count > 2 ? std::strtoul(words[2], nullptr, 10) : 4) * 1'000'000;
    const CutThrough trial = cut_through(hosts, bytes);
    std::printf("%zu hosts, %zu MB: %.3f s, ideal %.3f s, ratio %.4f; %zu hosts have it\n", hosts,
                bytes / 1'000'000, trial.taken, trial.ideal, trial.taken / trial.ideal, trial.have);
    return trial.have == hosts ? 0 : 1;
}
