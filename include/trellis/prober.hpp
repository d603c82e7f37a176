// Prober: the seam that measures round-trip times to peers and answers theirs, on a thread of its own, so
// that relaying does not disturb measuring. Every probe carries a sequence number and a keyed MAC; strangers
// are not answered.
#pragma once

#include "trellis/peer.hpp"
#include "trellis/result.hpp"
#include "trellis/task.hpp"
#include "trellis/time.hpp"

#include <memory>
#include <vector>

namespace trellis {

// Shirai 2007, section 4.1: a set is up to `round_trips` round trips, ended early after `patience` in a row
// without a new minimum.
struct ProbePlan {
    int sets = 3;
    int round_trips = 30;
    int patience = 10;
    Duration timeout = std::chrono::seconds(3);  // for the connection and for each set
};

// The minimum of each set.
struct ProbeResult {
    std::vector<Duration> minima;
    int round_trips = 0;  // how many were sent in all
};

class Prober {
  public:
    virtual ~Prober() = default;

    // One operation's probing: a listener that answers the participants, closed on destruction.
    class Session {
      public:
        virtual ~Session() = default;
        [[nodiscard]] virtual Endpoint endpoint() const = 0;
        // Round trips to `peer` listening at `at`. Failures: unreachable, timed_out, refused.
        virtual Task<Result<ProbeResult>> measure(HostId peer, Endpoint at, ProbePlan plan) = 0;
    };
    virtual Result<std::unique_ptr<Session>> open(PeerSession session) = 0;
};

}  // namespace trellis
