// Chains and trees of hosts, and what their hosts get: what the tests of Formation share.
#pragma once

#include "plugins/bcast/formation.hpp"

#include <chrono>
#include <map>
#include <vector>

#include <gmock/gmock.h>

namespace trellis::plugins::bcast {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Change = Formation::Change;

inline HostId host(int number) {
    return static_cast<HostId>(number);
}

inline Begin formed(Method method, int hosts) {
    Begin begin{method, root_id, {}, {}};
    for (int i = 1; i <= hosts; ++i)
        begin.chain.push_back({host(i), Endpoint{{}, 7000}});
    return begin;
}

inline Begin chain_of(int hosts) {
    return formed(Method::chain, hosts);
}

// Step after step, of half a second each, every host has got as much more as its rate says.
class Rates {
  public:
    explicit Rates(Formation& formation, Duration step = std::chrono::milliseconds(500))
        : formation_(formation), step_(step) {}
    std::vector<Change> go(const std::map<int, int>& rates, int steps) {
        for (; steps > 0; --steps) {
            now_ += step_;
            for (const auto& [number, rate] : rates)
                formation_.progressed(host(number), {have_[number] += static_cast<ChunkNumber>(rate), 0},
                                      now_);
            std::vector<Change> changes = formation_.relieve();
            if (!changes.empty()) return changes;
        }
        return {};
    }

  private:
    Formation& formation_;
    Duration step_;
    std::map<int, ChunkNumber> have_;
    TimePoint now_{};
};

}  // namespace trellis::plugins::bcast
