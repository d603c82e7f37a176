// What the hosts measure next, all at once: plain values between the planner, the command that sends them out
// and the roles that carry them out.
#pragma once

#include "plugins/infer/host_number.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace trellis::plugins::infer {

// One host's part in one pair: it measures the peer, or it holds still while the peer measures it.
struct Turn {
    HostNumber peer = 0;
    bool measures = true;

    friend bool operator==(const Turn&, const Turn&) = default;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(peer, measures);
    }
};

// How each pair of a batch is measured (trellis/prober.hpp).
struct Probing {
    std::int32_t sets = 3;
    std::int32_t round_trips = 10;
    std::int32_t patience = 10;
    std::int32_t lanes = 1;    // pairs that one host measures at the same time
    bool in_turn = true;       // nobody measures a host before its own turn with it has come
    std::int32_t pace_us = 0;  // least time between two probes of one lane

    friend bool operator==(const Probing&, const Probing&) = default;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(sets, round_trips, patience, lanes, in_turn, pace_us);
    }
};

struct Batch {
    Probing probing;
    std::vector<std::vector<Turn>> turns;  // by host number, each host's in its order

    // Pairs measured in all.
    [[nodiscard]] std::size_t pairs() const;
    // A tournament of these hosts comes after what they have to do so far.
    void append_tournament(const std::vector<HostNumber>& hosts,
                           std::size_t most_rounds = std::numeric_limits<std::size_t>::max());
};

// The outcome for one pair: a measured b. Round trips, in microseconds.
struct PairSample {
    HostNumber a = 0;
    HostNumber b = 0;
    double rtt_us = 0;     // the least of all
    double spread_us = 0;  // the greatest of the sets' minima less the least of them

    friend bool operator==(const PairSample&, const PairSample&) = default;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(a, b, rtt_us, spread_us);
    }
};

// Every pair of these hosts once, as a tournament by the circle method, its rounds in random order: in each
// of the n - 1 rounds (n if n is odd) each host has at most one pair, and over all rounds measures about half
// of its pairs itself. `host_count`: of Batch::turns. `most_rounds`: only the first ones, if there are more.
[[nodiscard]] Batch tournament(const std::vector<HostNumber>& hosts, std::size_t host_count,
                               const Probing& probing,
                               std::size_t most_rounds = std::numeric_limits<std::size_t>::max());

}  // namespace trellis::plugins::infer
