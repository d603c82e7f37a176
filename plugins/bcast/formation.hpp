// Formation: in which order the hosts of a broadcast stand now, which one takes the object from which, and
// who has to turn to another one because somebody is gone, was silent, or is slow. Owned by the root's part;
// it neither sends nor waits.
#pragma once

#include "trellis/time.hpp"

#include "plugins/bcast/messages.hpp"
#include "plugins/bcast/pace.hpp"

#include <cstddef>
#include <optional>
#include <set>
#include <vector>

namespace trellis::plugins::bcast {

class Formation {
  public:
    // `host` is to take the object from `to` from now on; from itself: it is to wait.
    struct Change {
        HostId host{}, to{};
        friend bool operator==(const Change&, const Change&) = default;
    };

    explicit Formation(const Begin& begin);

    // A host goes round others, as it cannot reach or hear them, and takes the object from this one: they are
    // at the end from now on.
    std::vector<Change> passed(HostId by, const std::vector<HostId>& hosts, HostId giver);
    // It is sent to none of these any more.
    void cannot_reach(HostId host, const std::vector<HostId>& others);
    // A host has found nobody. Nothing to change: the root has to give it the object.
    std::vector<Change> found_nobody(HostId host);
    // It takes the object from the source from now on.
    Change back_to_source(HostId host);
    void leave_out(HostId host);
    // It has all of the object, which ends here.
    void finished(HostId host, Position end = {});
    // From which host it takes the object; the root: from the root, or not known.
    [[nodiscard]] HostId giver(HostId host) const;
    // All before this has come there by now.
    void progressed(HostId host, Position end, TimePoint now);
    // When it was heard last; the beginning of time: not yet.
    [[nodiscard]] TimePoint heard(HostId host) const;
    // A host that gets the object, all the time, at less than `slow_share` of the rate of the fastest one
    // beside it that takes it from the same giver or, where there is none, of the giver, and that others take
    // it from, goes to the end; where the giver is the source, of the fastest rate that anybody got it at
    // from there. If its successor is as slow, it was the giver that gives slowly; if that does not help
    // either, it is a slow link, and nobody is to blame. Who is slow at the end, too, waits until the others
    // have it, with whom it would share links; who is not slow there was only held up, and goes back to its
    // place, once. Who takes it at the end from one that the others need goes behind one that they do not, as
    // soon as there is one that has about as much; when the others have it, one takes it from the other.
    // Who gets nothing more from a host that has all, as its files hang, goes to the end, too. Else: nothing.
    std::vector<Change> relieve();
    // Until now nobody is slow, as the root itself stood still.
    void forget_rates();

    static constexpr double slow_share = 0.4;

  private:
    struct Place {
        HostId id{};
        HostId giver{};
        std::size_t rank = 0;  // in the order that was asked for, from 1
        bool listens = false;
        bool at_end = false;  // moved there
        bool waits = false;   // there
        bool done = false;
        bool silent = false;    // nothing was heard since somebody went round it
        bool slow = false;      // was moved for that
        bool accepted = false;  // as slow as its link is
        TimePoint spoke{};
        double has = 0;    // bytes
        TimePoint grew{};  // when it had got more
        int stood = 0;     // so often it has said that it has no more, although its giver has all
        std::set<HostId> unreached;
        Pace pace;
        std::vector<HostId> seat;  // where it was moved from for being slow: its giver, then whom it gave to
        bool returned = false;     // to its place
    };
    using Places = std::vector<Place>;
    [[nodiscard]] Places::iterator find(HostId host);
    [[nodiscard]] Places::const_iterator find(HostId host) const;
    [[nodiscard]] bool gives(const Place& place) const;
    [[nodiscard]] const Place* measure(const Place& place) const;
    [[nodiscard]] bool is_slower(const Place& place, const Place& other, Duration least) const;
    [[nodiscard]] bool takes_from(HostId host, HostId from) const;  // perhaps through others
    [[nodiscard]] bool can_give(const Place& place, const Place& to) const;
    [[nodiscard]] bool is_recent(TimePoint then) const;
    // Those that took the object from it take it from its own giver.
    std::vector<Change> bequeath(const Place& place);
    // Takes it to the end; who it takes the object from there, and before that its heirs.
    std::vector<Change> move_to_end(HostId host);
    // The last one that can give, and of these one that spoke lately if there is any.
    std::vector<Change> to_tail(Place& place);
    std::vector<Change> pass_standing_one();
    std::vector<Change> hold_slow_one();
    [[nodiscard]] static bool has_waited(const Place& place, const Place& giver, Duration least);
    // Who was slow and is not at the end, where it takes shares of links from the others.
    std::vector<Change> return_quick_one();
    void remember_seat(Place& place) const;
    [[nodiscard]] bool waits(HostId host) const;
    [[nodiscard]] bool may_return(const Place& place) const;
    std::vector<Change> call_all();  // who waits
    // One at the end that takes it from one whom the others need or, when these have it, shares its giver.
    std::vector<Change> line_up(bool all_at_end);

    HostId source_;
    Places places_;                        // the source first
    double best_ = 0;                      // bytes a second, of those that take it from the source
    TimePoint latest_{};                   // when somebody spoke
    std::optional<HostId> blamed_beside_;  // with it the last one was compared that was moved for being slow
    int moves_there_ = 0;
};

}  // namespace trellis::plugins::bcast
