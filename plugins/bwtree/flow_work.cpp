#include "plugins/bwtree/flow_work.hpp"

#include <algorithm>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

namespace trellis::plugins::bwtree {
namespace {

constexpr Duration connect_timeout = std::chrono::seconds(2);
// Beyond the time that a flow may take: for connecting, and for what is slow.
constexpr Duration patience = std::chrono::seconds(2);
// After the end of a round, for what is still under way.
constexpr Duration most_draining = std::chrono::seconds(2);
constexpr std::size_t block_bytes = 32 * 1024;

}  // namespace

FlowWork::FlowWork(RoleContext& context)
    : context_(context),
      clock_(context.world().clock),
      network_(context.world().network),
      executor_(context.world().executor),
      session_(context.peers()),
      changed_(executor_) {}

Result<void> FlowWork::open() {
    auto listening = network_.listen(session_);
    if (!listening) return listening.error();
    listener_ = std::move(*listening);
    asio::co_spawn(executor_, accept_all(), asio::detached);
    context_.send(root_id, encode(ToRoot(Ready{listener_->endpoint().port})));
    return {};
}

void FlowWork::close() {
    closed_ = true;
    if (listener_) listener_->close();
    for (const Stream& stream : streams_)
        stream->close();
    changed_.notify();
}

void FlowWork::handle(ToRole message) {
    if (auto* assignment = std::get_if<Assignment>(&message)) begin(std::move(*assignment));
    if (const auto* end = std::get_if<Stop>(&message)) stop(end->round);
}

bool FlowWork::running(std::uint32_t round) const {
    return !closed_ && round == round_ && !stopped_;
}

void FlowWork::begin(Assignment assignment) {
    if (assignment.round <= round_) return;
    round_ = assignment.round;
    stopped_ = false;
    reading_ = 0;
    incoming_.clear();
    Duration longest{0};
    for (const Receiving& receiving : assignment.receiving) {
        auto incoming = std::make_shared<Incoming>();
        incoming->what = receiving;
        incoming_[receiving.flow] = std::move(incoming);
        longest = std::max<Duration>(longest, std::chrono::microseconds(receiving.most_us));
    }
    for (const Sending& sending : assignment.sending)
        asio::co_spawn(executor_, send(round_, sending), asio::detached);
    if (!incoming_.empty())
        asio::co_spawn(executor_, give_up_late(round_, longest + patience), asio::detached);
    changed_.notify();
}

void FlowWork::stop(std::uint32_t round) {
    if (round != round_ || stopped_) return;
    stopped_ = true;
    changed_.notify();
    asio::co_spawn(executor_, give_up_late(round_, most_draining), asio::detached);
    tell_if_idle();
}

Task<void> FlowWork::send(std::uint32_t round, Sending sending) {
    const auto self = shared_from_this();
    const auto left = std::make_shared<std::uint64_t>(sending.most_bytes);
    const auto peer = std::ranges::find(session_.participants, sending.to, &Host::id);
    if (peer == session_.participants.end()) co_return refuse(round, sending.flow, "not of this operation");
    for (int i = 0; i < sending.streams && running(round); ++i) {
        Endpoint at{peer->addresses, sending.port};
        auto stream = co_await network_.connect(session_, sending.to, std::move(at), connect_timeout);
        if (!stream) co_return i == 0 ? refuse(round, sending.flow, stream.error().message()) : void();
        const Stream shared = std::move(*stream);
        if (closed_) co_return;
        streams_.insert(shared);
        std::string header = encode(StreamHeader{round, sending.flow});
        const Result<void> sent = co_await shared->write(std::move(header));
        if (!sent) co_return refuse(round, sending.flow, sent.error().message());
        asio::co_spawn(executor_, write(round, shared, left), asio::detached);
    }
}

// What was connected too late ends at once.
Task<void> FlowWork::write(std::uint32_t round, Stream stream, std::shared_ptr<std::uint64_t> left) {
    const auto self = shared_from_this();
    bool good = true;
    while (good && running(round)) {
        if (*left == 0) {
            co_await changed_.wait();
            continue;
        }
        const std::size_t size = static_cast<std::size_t>(std::min<std::uint64_t>(*left, block_bytes));
        *left -= size;
        std::string block(size, 'x');
        const Result<void> written = co_await stream->write(std::move(block));
        good = written.has_value();
    }
    stream->close();
    streams_.erase(stream);
}

Task<void> FlowWork::accept_all() {
    const auto self = shared_from_this();
    while (!closed_) {
        Result<Network::Incoming> incoming = co_await listener_->accept();
        if (!incoming || closed_) co_return;
        const Stream stream = std::move(incoming->stream);
        streams_.insert(stream);
        asio::co_spawn(executor_, read(incoming->peer, stream), asio::detached);
    }
}

// The stream may be there before the root's word of it.
Task<void> FlowWork::read(HostId peer, Stream stream) {
    const auto self = shared_from_this();
    std::string begin;
    while (begin.size() < stream_header_size) {
        const Result<std::string> bytes = co_await stream->read();
        if (!bytes || bytes->empty()) break;
        begin += *bytes;
    }
    const auto header = decode<StreamHeader>(std::string_view(begin).substr(0, stream_header_size));
    while (header && header->round > round_ && !closed_)
        co_await changed_.wait();
    if (header && header->round == round_ && !closed_) {
        const auto incoming = incoming_.find(header->flow);
        if (incoming != incoming_.end() && incoming->second->what.from == peer) {
            const auto kept = incoming->second;
            ++reading_;
            co_await take(stream, header->round, *kept);
            if (header->round == round_) --reading_;
        }
    }
    stream->close();
    streams_.erase(stream);
    tell_if_idle();
}

Task<void> FlowWork::take(Stream stream, std::uint32_t round, Incoming& incoming) {
    using std::chrono::microseconds;
    for (;;) {
        const Result<std::string> bytes = co_await stream->read();
        if (!bytes || bytes->empty() || closed_ || round != round_) co_return;
        const TimePoint now = clock_.now();
        incoming.bytes += bytes->size();
        if (incoming.meter) {
            incoming.meter->add(now, bytes->size());
        } else {
            const Receiving& what = incoming.what;
            const MeterSettings settings{microseconds(what.slot_us), microseconds(what.warm_up_us),
                                         microseconds(what.most_us)};
            incoming.meter.emplace(settings, now);
        }
        if (incoming.meter->done() || incoming.bytes >= incoming.what.most_bytes) report(incoming, "");
    }
}

void FlowWork::report(Incoming& incoming, std::string why) {
    if (closed_ || std::exchange(incoming.reported, true)) return;
    const MeterReading reading = incoming.meter ? incoming.meter->reading() : MeterReading();
    if (reading.rate > 0) why.clear();
    const Arrival arrival{round_, incoming.what.flow, reading.rate, reading.standard_error, std::move(why)};
    context_.send(root_id, encode(ToRoot(arrival)));
}

void FlowWork::refuse(std::uint32_t round, FlowNumber flow, std::string why) {
    if (!running(round)) return;
    context_.send(root_id, encode(ToRoot(Arrival{round, flow, 0, 0, why.substr(0, 200)})));
}

// What has not come by then does not count; streams that do not end are closed.
Task<void> FlowWork::give_up_late(std::uint32_t round, Duration after) {
    const auto self = shared_from_this();
    co_await clock_.sleep(after);
    if (closed_ || round != round_) co_return;
    if (!stopped_) {
        for (const auto& [flow, incoming] : incoming_)
            report(*incoming, "nothing came");
    } else if (reading_ > 0) {
        for (const Stream& stream : std::set<Stream>(streams_))
            stream->close();
    }
}

void FlowWork::tell_if_idle() {
    if (closed_ || !stopped_ || reading_ > 0 || incoming_.empty()) return;
    Idle idle{round_, 0};
    for (const auto& [flow, incoming] : incoming_)
        idle.received += incoming->bytes;
    incoming_.clear();
    context_.send(root_id, encode(ToRoot(idle)));
}

}  // namespace trellis::plugins::bwtree
