// ProgressLine: how far a broadcast is, in one line for a terminal. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace trellis::plugins::bcast {

struct ProgressFigures {
    double stored = 0;                 // bytes on a host, on the average over those that take part
    double kept = 0;                   // of them were there before it began
    std::optional<std::uint64_t> all;  // that there are, if that is known
    double seconds = 0;                // since it began
    std::size_t have = 0;              // hosts that have all of it
    std::size_t hosts = 0;             // that take part
};

[[nodiscard]] std::string progress_line(const ProgressFigures& figures);

}  // namespace trellis::plugins::bcast
