// Connection: a reliable, ordered channel of messages between two simulated processes, as an ssh channel or a
// TCP connection is one of bytes. What the network drops is sent again; a window that shrinks with losses
// bounds what is under way and unread, so that a reader that does not read stops the writer. Shared by its
// two ends (SimLink, SimByteStream) and the messages under way. It never keeps anything alive but itself.
#pragma once

#include "trellis/frame.hpp"
#include "trellis/result.hpp"

#include "agentd/core/mailbox.hpp"
#include "tests/sim/sim_network.hpp"

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>

namespace trellis::sim {

// One message of a connection: a frame, bytes (of a stream, or malformed ones on a link), or the end.
struct EndOfStream {};
using Parcel = std::variant<EndOfStream, Frame, std::string>;

class Connection final : public Sender, public std::enable_shared_from_this<Connection> {
  public:
    using Side = int;  // 0 or 1

    Connection(VirtualTime& time, SimNetwork& network, MachineIndex first, MachineIndex second);

    // Begins with a small window, which doubles with every round trip until something is lost.
    void start_slowly();
    // Queues; bulk yields to what is not bulk.
    void send(Side side, Parcel parcel, bool bulk = false);
    // The next parcel from the other side, or why there is none (lost, cancelled).
    Task<Result<Parcel>> receive(Side side);
    // Returns when little waits to be sent by this side, or when the connection has failed.
    Task<void> drained(Side side);
    // No more from this side, once what is queued has left. Its pending receive() ends.
    void close(Side side);
    // The process of this side is gone: what it had queued too; the other side will find the end.
    void abort(Side side);
    // What this side sends for so long waits: nothing of it leaves, as while TCP pauses before it repeats.
    void hold_back(Side side, Duration time);
    // Both sides fail at once (a cut that is seen).
    void fail(const std::string& cause);

    // The bytes that the connection holds now: queued, under way and unread.
    [[nodiscard]] std::size_t held() const;
    [[nodiscard]] std::size_t held(Side side) const;
    // The bytes of this side that have arrived, those behind a gap among them. (It is known at once: the way
    // of the acknowledgements takes no time.)
    [[nodiscard]] std::uint64_t delivered(Side side) const { return ends_[index(side)].delivered; }
    [[nodiscard]] bool open(Side side) const { return !ends_[index(side)].closed; }
    [[nodiscard]] MachineIndex machine(Side side) const { return ends_[index(side)].machine; }

    // Sender: a message of this connection; the tag says which.
    void arrived(std::uint64_t tag) override;
    void dropped(std::uint64_t tag, Drop why) override;

  private:
    struct Queued {
        Parcel parcel;
        std::size_t bytes = 0;
        TimePoint sent{};
    };
    // What one side sends, and its reading of what the other one sent.
    struct End {
        explicit End(VirtualTime& time, MachineIndex where)
            : machine(where), changed(time.context().get_executor()) {}
        MachineIndex machine;
        std::deque<Queued> control, bulk;
        std::size_t queued_bytes = 0;
        std::map<std::uint64_t, Queued> under_way;  // sent, not arrived in order yet
        std::map<std::uint64_t, int> tries;
        std::size_t window_bytes = 0;  // used: under way, or arrived and unread
        std::size_t window = 0;
        std::uint64_t delivered = 0;      // bytes that have arrived, in whatever order
        std::uint64_t shrunk_before = 0;  // losses of what was sent before this shrink it no more
        Duration way{0};                  // how long the last one took to arrive, queues included
        std::uint64_t next_sequence = 0;
        std::map<std::uint64_t, bool> arrived_early;
        std::uint64_t next_expected = 0;  // by this side, of the other's
        std::deque<Queued> unread;
        TimePoint held_until{};
        bool closed = false;
        bool ended = false;  // the other side's end has been read
        std::optional<Failure> failure;
        Signal changed;
    };
    static std::size_t index(Side side) { return static_cast<std::size_t>(side); }
    End& end(Side side) { return ends_[index(side)]; }
    void pump(Side side);
    void transmit(Side side, std::uint64_t sequence, Queued& queued);
    void send_again(Side side, std::uint64_t sequence, Drop why);
    void shrink(End& from, std::uint64_t sequence);
    void take_in(Side receiver);
    static void discard_queue(End& end);
    [[nodiscard]] std::size_t growth(const End& from, std::size_t bytes) const;

    VirtualTime& time_;
    SimNetwork& network_;
    bool slow_start_ = false;
    std::array<End, 2> ends_;
};

}  // namespace trellis::sim
