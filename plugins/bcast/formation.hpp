// Formation: in which order the hosts of a broadcast stand now, and who has to take the object from another
// one because somebody is gone, was silent, or is slow. Owned by the root's part; it neither sends nor waits.
#pragma once

#include "trellis/time.hpp"

#include "plugins/bcast/messages.hpp"

#include <cstddef>
#include <deque>
#include <vector>

namespace trellis::plugins::bcast {

class Formation {
  public:
    // `host` is to take the object from `to` from now on.
    struct Change {
        HostId host{}, to{};
        friend bool operator==(const Change&, const Change&) = default;
    };

    explicit Formation(const std::vector<Member>& chain);

    // A host goes round others, as it cannot reach or hear them: they are at the end from now on.
    std::vector<Change> passed(HostId by, const std::vector<HostId>& hosts);
    // A host has found nobody. Nothing to change: the root has to give it the object.
    std::vector<Change> found_nobody(HostId host);
    void leave_out(HostId host);
    [[nodiscard]] bool is_first(HostId host) const { return !places_.empty() && places_[0].id == host; }
    // So many chunks have come there by now.
    void progressed(HostId host, ChunkNumber chunks, TimePoint now);
    // A host that gets the object at less than `slow_share` of the rate of the one before it goes to the end.
    // If the next one is as slow, it was the one before that gives slowly; if that does not help either, it
    // is a slow link, and nobody is to blame. Without a host that is slow: nothing.
    std::vector<Change> relieve();

    static constexpr double slow_share = 0.4;

  private:
    struct Sample {
        TimePoint time;
        ChunkNumber chunks = 0;
    };
    struct Place {
        HostId id{};
        bool listens = false;
        bool at_end = false;       // moved there
        bool silent = false;       // nothing was heard since somebody went round it
        bool accepted = false;     // as slow as its link is
        std::deque<Sample> heard;  // the latest ones
        [[nodiscard]] double rate(std::size_t latest) const;  // chunks a second
    };
    using Places = std::vector<Place>;
    Places::iterator find(HostId host);
    void forget_rates();
    [[nodiscard]] bool is_slower(const Place& place, const Place& before) const;
    // Takes it to the end; who it takes the object from there.
    std::vector<Change> move_to_end(HostId host);
    [[nodiscard]] std::vector<Change> to_tail(HostId host) const;

    Places places_;
    HostId blamed_before_{};  // the one before the last one that was moved for being slow
    int moves_there_ = 0;
};

}  // namespace trellis::plugins::bcast
