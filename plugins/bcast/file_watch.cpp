#include "plugins/bcast/file_watch.hpp"

namespace trellis::plugins::bcast {
namespace {

// A server of files that starts anew, or a disk that is far behind, takes less.
constexpr std::size_t most_silent_ticks = std::chrono::minutes(1) / tick;

}  // namespace

// Ticks are counted, not seconds: none passes while this process stands still.
bool FileWatch::hang(bool awaited) {
    const std::uint64_t steps = files_.steps();
    const bool silent = awaited && steps == std::exchange(steps_, steps);
    silent_ticks_ = silent ? silent_ticks_ + 1 : 0;
    return silent_ticks_ == most_silent_ticks;
}

Failure gives_no_answer(const std::string& path) {
    return {FailureKind::timed_out, "", "", path + ": has not answered for a minute"};
}

}  // namespace trellis::plugins::bcast
