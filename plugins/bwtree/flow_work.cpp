#include "plugins/bwtree/flow_work.hpp"

#include <algorithm>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

namespace trellis::plugins::bwtree {
namespace {

constexpr Duration connect_timeout = std::chrono::seconds(2);
// Beyond the time that a flow may take.
constexpr Duration patience = std::chrono::seconds(1);
constexpr std::size_t block_bytes = std::size_t{16} * 1024;

MeterSettings settings_of(const Receiving& what) {
    using std::chrono::microseconds;
    return {microseconds(what.slot_us), microseconds(what.warm_up_us)};
}

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
    close_streams();
}

void FlowWork::close_streams() {
    for (const Stream& stream : std::exchange(streams_, {}))
        stream->close();
    changed_.notify();
}

void FlowWork::handle(ToRole message) {
    if (const auto* assignment = std::get_if<Assignment>(&message)) begin(*assignment);
    if (const auto* start = std::get_if<Go>(&message)) go(start->round);
    if (const auto* end = std::get_if<Stop>(&message)) stop(end->round);
}

bool FlowWork::running(std::uint32_t round) const {
    return !closed_ && round == round_ && !stopped_;
}

void FlowWork::begin(const Assignment& assignment) {
    if (assignment.round <= round_) return;
    round_ = assignment.round;
    going_ = stopped_ = false;
    sent_ = 0;
    incoming_.clear();
    longest_ = {};
    for (const Receiving& receiving : assignment.receiving) {
        auto incoming = std::make_shared<Incoming>();
        incoming->what = receiving;
        incoming_[receiving.flow] = std::move(incoming);
        longest_ = std::max(longest_, longest_time(settings_of(receiving)));
    }
    for (const Sending& sending : assignment.sending)
        asio::co_spawn(executor_, send(round_, sending), asio::detached);
    changed_.notify();
}

// All at the same time, so that what is added up is of the same time.
void FlowWork::go(std::uint32_t round) {
    if (!running(round)) return;
    going_ = true;
    if (!incoming_.empty())
        asio::co_spawn(executor_, give_up_late(round_, longest_ + patience), asio::detached);
    changed_.notify();
}

// What is still under way is of no use: nobody waits for it.
void FlowWork::stop(std::uint32_t round) {
    if (round != round_ || stopped_) return;
    stopped_ = true;
    close_streams();
    context_.send(root_id, encode(ToRoot(Idle{round_, sent_})));
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
        if (!running(round)) co_return;
        streams_.insert(shared);
        std::string header = encode(StreamHeader{round, sending.flow});
        const Result<void> sent = co_await shared->write(std::move(header));
        if (!sent) co_return refuse(round, sending.flow, sent.error().message());
        asio::co_spawn(executor_, write(round, shared, left), asio::detached);
    }
    if (running(round)) context_.send(root_id, encode(ToRoot(Connected{round, sending.flow})));
}

// What was connected too late ends at once.
Task<void> FlowWork::write(std::uint32_t round, Stream stream, std::shared_ptr<std::uint64_t> left) {
    const auto self = shared_from_this();
    bool good = true;
    while (good && running(round)) {
        if (!going_ || *left == 0) {
            co_await changed_.wait();
            continue;
        }
        const std::size_t size = static_cast<std::size_t>(std::min<std::uint64_t>(*left, block_bytes));
        *left -= size;
        sent_ += size;
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
    if (header && running(header->round)) {
        const auto incoming = incoming_.find(header->flow);
        if (incoming != incoming_.end() && incoming->second->what.from == peer) {
            const auto kept = incoming->second;
            co_await take(stream, header->round, *kept);
        }
    }
    stream->close();
    streams_.erase(stream);
}

Task<void> FlowWork::take(Stream stream, std::uint32_t round, Incoming& incoming) {
    for (;;) {
        const Result<std::string> bytes = co_await stream->read();
        if (!bytes || bytes->empty() || !running(round)) co_return;
        const TimePoint now = clock_.now();
        incoming.bytes += bytes->size();
        if (!incoming.meter) {
            incoming.meter.emplace(settings_of(incoming.what), now);
        } else if (incoming.meter->add(now, bytes->size())) {
            report(incoming, incoming.meter->done());
        }
        if (incoming.bytes >= incoming.what.most_bytes)
            report(incoming, true, "its share of the budget is too small");
    }
}

void FlowWork::report(Incoming& incoming, bool last, std::string why) {
    if (incoming.ended) return;
    incoming.ended = last;
    Arrival arrival{round_, incoming.what.flow, {}, last, std::move(why)};
    if (incoming.meter) arrival.rates = incoming.meter->take();
    context_.send(root_id, encode(ToRoot(arrival)));
}

void FlowWork::refuse(std::uint32_t round, FlowNumber flow, const std::string& why) {
    if (!running(round)) return;
    context_.send(root_id, encode(ToRoot(Arrival{round, flow, {}, true, why.substr(0, 200)})));
}

// What has not come by then does not count.
Task<void> FlowWork::give_up_late(std::uint32_t round, Duration after) {
    const auto self = shared_from_this();
    co_await clock_.sleep(after);
    if (!running(round)) co_return;
    for (const auto& [flow, incoming] : incoming_)
        report(*incoming, true, "nothing came");
}

}  // namespace trellis::plugins::bwtree
