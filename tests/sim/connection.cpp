#include "tests/sim/connection.hpp"

#include <algorithm>
#include <utility>

namespace trellis::sim {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t queue_limit = std::size_t{256} << 10;  // more than this holds up drained()
constexpr std::size_t first_window = std::size_t{128} << 10;
constexpr std::size_t slow_window = std::size_t{16} << 10;
constexpr std::size_t least_window = std::size_t{8} << 10;
constexpr std::size_t most_window = std::size_t{1} << 20;
constexpr Duration first_timeout = milliseconds(200);
constexpr Duration longest_timeout = milliseconds(1000);

std::size_t size_of(const Parcel& parcel) {
    if (const auto* frame = std::get_if<Frame>(&parcel)) return frame_header_size + frame->body.size();
    if (const auto* bytes = std::get_if<std::string>(&parcel)) return bytes->size();
    return 1;
}

std::uint64_t tag_of(int side, std::uint64_t sequence) {
    return sequence * 2 + static_cast<std::uint64_t>(side);
}

}  // namespace

Connection::Connection(VirtualTime& time, SimNetwork& network, MachineIndex first, MachineIndex second)
    : time_(time), network_(network), ends_{End(time, first), End(time, second)} {
    for (End& each : ends_)
        each.window = first_window;
}

void Connection::send(Side side, Parcel parcel, bool bulk) {
    End& from = end(side);
    if (from.closed || from.failure) return;
    const std::size_t bytes = size_of(parcel);
    from.queued_bytes += bytes;
    (bulk ? from.bulk : from.control).push_back({std::move(parcel), bytes, TimePoint{}});
    pump(side);
}

// Sends what the window allows; a parcel alone may exceed it.
void Connection::pump(Side side) {
    End& from = end(side);
    if (time_.now() < from.held_until) return;
    while (!from.failure && (!from.control.empty() || !from.bulk.empty())) {
        auto& queue = from.control.empty() ? from.bulk : from.control;
        const std::size_t bytes = queue.front().bytes;
        if (from.window_bytes > 0 && from.window_bytes + bytes > from.window) break;
        from.window_bytes += bytes;
        from.queued_bytes -= bytes;
        const auto [place, added] = from.under_way.emplace(from.next_sequence, std::move(queue.front()));
        queue.pop_front();
        transmit(side, from.next_sequence++, place->second);
    }
    if (from.queued_bytes < queue_limit) from.changed.notify();
}

void Connection::transmit(Side side, std::uint64_t sequence, Queued& queued) {
    queued.sent = time_.now();
    Message message{end(side).machine, end(1 - side).machine, queued.bytes, shared_from_this(),
                    tag_of(side, sequence)};
    network_.send(std::move(message));
}

void Connection::arrived(std::uint64_t tag) {
    const Side side = static_cast<Side>(tag % 2);
    End& to = end(1 - side);
    const auto queued = end(side).under_way.find(tag / 2);
    if (queued != end(side).under_way.end()) {
        end(side).way = time_.now() - queued->second.sent;
        end(side).delivered += queued->second.bytes;
    }
    end(side).tries.erase(tag / 2);
    to.arrived_early[tag / 2] = true;
    take_in(1 - side);
}

// What has arrived in order becomes readable; for a reader that is gone it is thrown away.
void Connection::take_in(Side receiver) {
    End& to = end(receiver);
    End& from = end(1 - receiver);
    while (!to.arrived_early.empty() && to.arrived_early.begin()->first == to.next_expected) {
        to.arrived_early.erase(to.arrived_early.begin());
        auto node = from.under_way.extract(to.next_expected++);
        if (!node) continue;
        from.window = std::min(from.window + growth(from, node.mapped().bytes), most_window);
        if (to.closed || to.failure) {  // as a reset: what waits to be sent is thrown away, too
            from.window_bytes -= node.mapped().bytes;
            discard_queue(from);
            continue;
        }
        to.unread.push_back(std::move(node.mapped()));
        to.changed.notify();
    }
    if (to.closed) pump(1 - receiver);
}

void Connection::dropped(std::uint64_t tag, Drop why) {
    const Side side = static_cast<Side>(tag % 2);
    if (why == Drop::machine_down || end(side).failure) return;
    send_again(side, tag / 2, why);
}

// Once something has been lost, by one message for each window.
std::size_t Connection::growth(const End& from, std::size_t bytes) const {
    if (from.shrunk_before > 0) return bytes * bytes / from.window;
    return slow_start_ ? bytes : bytes / 8;
}

void Connection::start_slowly() {
    slow_start_ = true;
    for (End& each : ends_)
        each.window = slow_window;
}

// Once for all that is lost of one window.
void Connection::shrink(End& from, std::uint64_t sequence) {
    if (sequence < from.shrunk_before) return;
    from.window = std::max(from.window / 2, least_window);
    from.shrunk_before = from.next_sequence;
}

void Connection::send_again(Side side, std::uint64_t sequence, Drop why) {
    End& from = end(side);
    shrink(from, sequence);
    const int tries = from.tries[sequence]++;
    Duration wait = std::min<Duration>(first_timeout * (1 << std::min(tries, 8)), longest_timeout);
    // The receiver sees the gap when what was sent later has come; a full queue is less full then.
    if (why == Drop::queue_full || (why == Drop::loss && tries == 0)) {
        const auto way = network_.one_way_delay(from.machine, end(1 - side).machine).value_or(first_timeout);
        wait = way + std::max(way, from.way);
    }
    time_.at(time_.now() + wait, [self = shared_from_this(), side, sequence] {
        const auto place = self->end(side).under_way.find(sequence);
        if (place != self->end(side).under_way.end()) self->transmit(side, sequence, place->second);
    });
}

Task<Result<Parcel>> Connection::receive(Side side) {
    const auto self = shared_from_this();
    End& to = end(side);
    while (to.unread.empty() && !to.failure && !to.closed && !to.ended)
        co_await to.changed.wait();
    if (to.closed) co_return Failure{FailureKind::cancelled, "receive", "", "closed"};
    if (to.unread.empty()) {
        if (to.failure) co_return *to.failure;
        co_return Failure{FailureKind::lost, "receive", "", "end of file"};
    }
    Queued read = std::move(to.unread.front());
    to.unread.pop_front();
    to.ended = std::holds_alternative<EndOfStream>(read.parcel);
    end(1 - side).window_bytes -= read.bytes;
    pump(1 - side);
    if (to.ended) co_return Failure{FailureKind::lost, "receive", "", "end of file"};
    co_return std::move(read.parcel);
}

Task<void> Connection::drained(Side side) {
    const auto self = shared_from_this();
    End& from = end(side);
    while (from.queued_bytes >= queue_limit && !from.failure && !from.closed)
        co_await from.changed.wait();
}

void Connection::close(Side side) {
    End& from = end(side);
    if (from.closed) return;
    send(side, EndOfStream{}, true);
    from.closed = true;
    for (const Queued& queued : std::exchange(from.unread, {}))
        end(1 - side).window_bytes -= queued.bytes;
    from.changed.notify();
    pump(1 - side);
}

void Connection::discard_queue(End& end) {
    end.control.clear();
    end.bulk.clear();
    end.queued_bytes = 0;
}

void Connection::abort(Side side) {
    End& from = end(side);
    if (from.closed) return;
    discard_queue(from);
    close(side);
}

void Connection::hold_back(Side side, Duration time) {
    end(side).held_until = time_.now() + time;
    time_.at(end(side).held_until, [self = shared_from_this(), side] { self->pump(side); });
}

void Connection::fail(const std::string& cause) {
    for (End& each : ends_) {
        if (each.failure) continue;
        each.failure = Failure{FailureKind::lost, "receive", "", cause};
        discard_queue(each);
        each.changed.notify();
    }
}

std::size_t Connection::held(Side side) const {
    return ends_[index(side)].queued_bytes + ends_[index(side)].window_bytes;
}

std::size_t Connection::held() const {
    return held(0) + held(1);
}

}  // namespace trellis::sim
