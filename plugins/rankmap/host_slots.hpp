// HostSlots: how many ranks each host takes, as --slots says. A value; pure.
#pragma once

#include "trellis/result.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace trellis::plugins::rankmap {

inline constexpr std::uint32_t most_slots = 4096;  // of one host

struct HostSlots {
    std::uint32_t usual = 1;
    std::map<std::string, std::uint32_t> own;  // of those that differ

    // Of these hosts, in their order. Refused: an own one that is none of them.
    [[nodiscard]] Result<std::vector<std::uint32_t>> of(const std::vector<std::string>& hosts) const;
};

// "4", "a[00-07]=4,b00=2", "2,a00=4": items separated by commas, each a number for all hosts that no other
// item names, or a host range with one; 0 leaves hosts out. Refused: anything else, more than most_slots, a
// host twice.
[[nodiscard]] Result<HostSlots> read_slots(std::string_view text);

}  // namespace trellis::plugins::rankmap
