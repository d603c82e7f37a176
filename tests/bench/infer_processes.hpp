// Trials by seed, each once, shared out among processes of their own: what one takes of memory or time does
// not touch the others. A process that dies leaves its trials out.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <sys/wait.h>
#include <type_traits>
#include <unistd.h>
#include <vector>

#include <climits>

namespace trellis {

struct Seeds {
    std::uint64_t first = 1;
    std::size_t count = 0;
    std::size_t jobs = 2;  // processes
};

// In order of the seeds. `Trial` has a seed and is short enough that those of two processes never mix in a
// pipe.
template <class Trial>
std::vector<Trial> run_trials(const Seeds& seeds, const std::function<Trial(std::uint64_t seed)>& attempt) {
    static_assert(std::is_trivially_copyable_v<Trial> && sizeof(Trial) <= PIPE_BUF);
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("no pipe");
    const auto work = [&](std::size_t job) {
        for (std::size_t i = job; i < seeds.count; i += seeds.jobs) {
            const Trial trial = attempt(seeds.first + i);
            if (write(ends[1], &trial, sizeof trial) != sizeof trial) break;
        }
        _exit(0);
    };
    for (std::size_t job = 0; job < seeds.jobs; ++job)
        if (fork() == 0) work(job);
    close(ends[1]);
    std::vector<Trial> trials;
    for (Trial trial; read(ends[0], &trial, sizeof trial) == sizeof trial;)
        trials.push_back(trial);
    close(ends[0]);
    while (wait(nullptr) > 0)
        continue;
    std::ranges::sort(trials, {}, &Trial::seed);
    return trials;
}

}  // namespace trellis
