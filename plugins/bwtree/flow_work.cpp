#include "plugins/bwtree/flow_work.hpp"

#include "plugins/bwtree/flow_meter.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

namespace trellis::plugins::bwtree {
namespace {

constexpr Duration connect_timeout = std::chrono::seconds(2);
constexpr std::size_t block_bytes = std::size_t{16} * 1024;

MeterSettings settings_of(const Sending& what) {
    using std::chrono::microseconds;
    return {microseconds(what.slot_us), microseconds(what.warm_up_us)};
}

std::uint64_t arrived(const std::vector<std::shared_ptr<ByteStream>>& streams) {
    return std::accumulate(
        streams.begin(), streams.end(), std::uint64_t{0},
        [](std::uint64_t sum, const auto& stream) { return sum + stream->delivered().value_or(0); });
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
    for (const Stream& stream : std::exchange(streams_, {}))
        stream->abort();
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
    outgoing_.clear();
    for (const Receiving& receiving : assignment.receiving)
        incoming_[receiving.flow] = receiving.from;
    for (const Sending& sending : assignment.sending) {
        auto flow = std::make_shared<Outgoing>(Outgoing{sending, {}, sending.most_bytes});
        outgoing_.push_back(flow);
        asio::co_spawn(executor_, send(round_, std::move(flow)), asio::detached);
    }
    changed_.notify();
}

// All at the same time, so that what is added up is of the same time.
void FlowWork::go(std::uint32_t round) {
    if (!running(round)) return;
    going_ = true;
    changed_.notify();
}

// What is still under way is of no use, and would be in the way of the next round. Who takes it goes on to do
// so until it ends: its sender may not have been told yet.
void FlowWork::stop(std::uint32_t round) {
    if (round != round_ || stopped_) return;
    stopped_ = true;
    for (const auto& flow : outgoing_)
        for (const Stream& stream : flow->streams) {
            stream->abort();
            streams_.erase(stream);
        }
    changed_.notify();
    context_.send(root_id, encode(ToRoot(Idle{round_, sent_})));
}

Task<void> FlowWork::send(std::uint32_t round, std::shared_ptr<Outgoing> flow) {
    const auto self = shared_from_this();
    while (flow->streams.size() < flow->what.streams && running(round)) {
        Result<Stream> stream = co_await connect(round, *flow);
        if (!stream && flow->streams.empty()) co_return fail(round, *flow, stream.error());
        if (!stream) break;
        flow->streams.push_back(std::move(*stream));
    }
    if (!running(round)) co_return;
    context_.send(root_id, encode(ToRoot(Connected{round, flow->what.flow})));
    while (!going_ && running(round))
        co_await changed_.wait();
    for (const Stream& stream : flow->streams)
        asio::co_spawn(executor_, write(round, flow, stream), asio::detached);
    co_await measure(round, flow);
}

Task<Result<FlowWork::Stream>> FlowWork::connect(std::uint32_t round, const Outgoing& flow) {
    const auto peer = std::ranges::find(session_.participants, flow.what.to, &Host::id);
    if (peer == session_.participants.end()) {
        co_return Failure{FailureKind::invalid, "connect to a peer", "", "not of this operation"};
    }
    Endpoint at{peer->addresses, flow.what.port};
    auto opened = co_await network_.connect(session_, flow.what.to, std::move(at), connect_timeout);
    if (!opened) co_return opened.error();
    Stream stream = std::move(*opened);
    std::string header = encode(StreamHeader{round, flow.what.flow});
    const Result<void> sent = co_await stream->write(std::move(header));
    if (!sent) co_return sent.error();
    if (!stream->delivered()) {
        co_return Failure{FailureKind::unavailable, "measure a flow", "", "no count of what arrives"};
    }
    if (!running(round)) co_return Failure{FailureKind::cancelled, "measure a flow", "", "it is over"};
    streams_.insert(stream);
    co_return stream;
}

// Ends with the measuring: the root's word of it may be lost on the very links that are full.
Task<void> FlowWork::write(std::uint32_t round, std::shared_ptr<Outgoing> flow, Stream stream) {
    const auto self = shared_from_this();
    Result<void> written;
    while (written && running(round) && flow->left > 0 && !flow->ended) {
        const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(flow->left, block_bytes));
        flow->left -= size;
        sent_ += size;
        std::string block(size, 'x');
        written = co_await stream->write(std::move(block));
    }
    if (!written) fail(round, *flow, written.error());
}

// Until all slots are over, or what it may send has been handed on: then it is slower than it could be.
Task<void> FlowWork::measure(std::uint32_t round, std::shared_ptr<Outgoing> flow) {
    const auto self = shared_from_this();
    const MeterSettings settings = settings_of(flow->what);
    FlowMeter meter(settings, clock_.now(), arrived(flow->streams));
    while (running(round) && !flow->ended) {
        co_await clock_.sleep(settings.slot);
        if (!running(round) || flow->ended) co_return;
        const bool spent = flow->left == 0;
        if (!spent && !meter.add(clock_.now(), arrived(flow->streams))) continue;
        report(*flow, meter.take(), spent || meter.done());
    }
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

// What comes is thrown away. The stream may be there before the root's word of it.
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
    bool good = header && running(header->round);
    if (good) {
        const auto from = incoming_.find(header->flow);
        good = from != incoming_.end() && from->second == peer;
    }
    while (good && header->round == round_ && !closed_) {
        const Result<std::string> bytes = co_await stream->read();
        good = bytes && !bytes->empty();
    }
    stream->abort();
    streams_.erase(stream);
}

void FlowWork::report(Outgoing& flow, std::vector<float> rates, bool last) {
    if (flow.ended) return;
    flow.ended = last;
    context_.send(root_id, encode(ToRoot(Arrival{round_, flow.what.flow, std::move(rates), last, {}})));
}

void FlowWork::fail(std::uint32_t round, Outgoing& flow, const Failure& failure) {
    if (!running(round) || flow.ended) return;
    flow.ended = true;
    const std::string why = failure.message().substr(0, 200);
    context_.send(root_id, encode(ToRoot(Arrival{round, flow.what.flow, {}, true, why})));
}

}  // namespace trellis::plugins::bwtree
