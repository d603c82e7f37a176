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
    Duration timeout = std::chrono::seconds(3);  // for each connection, and for each set from its welcome on
    Duration turn{0};  // how much longer each connection may wait for its welcome by a peer that holds
    Duration busy{0};  // how much longer each set may take where processors are busy
    Duration pace{0};  // each probe at least this long after the one before it, or after the welcome
};

// The minimum of each set.
struct ProbeResult {
    std::vector<Duration> minima;
    int round_trips = 0;  // how many were sent in all
    Duration probing{0};  // from the welcomes to the ends of the sets, in all
};

class Prober {
  public:
    virtual ~Prober() = default;

    // One operation's probing: a listener that answers the participants, closed on destruction.
    class Session {
      public:
        virtual ~Session() = default;
        [[nodiscard]] virtual Endpoint endpoint() const = 0;
        // More participants, or their new keys. A peer that comes before it is introduced waits for that, at
        // most ten seconds.
        virtual void introduce(std::vector<Host> peers) = 0;
        // Round trips to `peer` listening at `at`. Failures: unreachable, timed_out, refused.
        virtual Task<Result<ProbeResult>> measure(HostId peer, Endpoint at, ProbePlan plan) = 0;

        // While it holds, a peer that connects waits for its welcome until it is served; else, as at first,
        // everybody is welcomed at once. Switching it off welcomes all who wait.
        virtual void hold(bool on) = 0;
        // Lets `peer` measure this host once; returns when its measurement is over, however it ended.
        // Failures: timed_out (it has not come and gone within `timeout`), cancelled (the session has ended).
        // When it returns or is cancelled, no connection of the peer is left. One at a time for each peer.
        virtual Task<Result<void>> serve(HostId peer, Duration timeout) = 0;
    };
    virtual Result<std::unique_ptr<Session>> open(PeerSession session) = 0;
};

}  // namespace trellis
