// Report: how a broadcast ended, on each host and together. A value.
#pragma once

#include "trellis/time.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace trellis::plugins::bcast {

// How it ended on one host.
struct HostReport {
    std::string name;
    std::string cause;       // empty: it has the object
    Duration taken{};        // until it had it
    bool by_tree = false;    // it, or a part of it, came over the control tree, since no host before it could
                             // give it
    std::uint64_t kept = 0;  // bytes that it had from an earlier broadcast
    bool anew = false;       // what it had was of another source
};

struct Report {
    std::vector<HostReport> hosts;  // in the order of the chain
    std::uint64_t bytes = 0;        // of the contents
    Duration taken{};
    [[nodiscard]] std::size_t have() const;
    [[nodiscard]] nlohmann::json to_json() const;
    // For people: hosts that have not, by cause; last how many have.
    [[nodiscard]] std::vector<std::string> lines() const;
};

}  // namespace trellis::plugins::bcast
