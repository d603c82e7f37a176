#include "agentd/core/running_operation.hpp"

#include "agentd/core/node.hpp"

#include <algorithm>
#include <utility>

namespace trellis {
namespace {

constexpr std::size_t most_waiting_messages = 65536;

Failure ended() {
    return {FailureKind::cancelled, "", "", "the operation has ended"};
}

}  // namespace

RunningOperation::RunningOperation(const World& world, Node& node, OperationId id, StartOperation start)
    : world_(world), node_(&node), id_(id), start_(std::move(start)), changed_(world.executor) {
    peers_.operation = id;
    peers_.nonce = start_.nonce;
    peers_.self = node.self();
    peers_.participants = std::move(start_.participants);
    peers_.plain = start_.plain;
}

void RunningOperation::deliver(Frame frame) {
    switch (frame.type) {
        case FrameType::message:
            if (frame.source == root_id && !admit_control(frame.sequence)) return;
            if (messages_.size() < most_waiting_messages)
                messages_.push_back({frame.source, std::move(frame.body)});
            break;
        case FrameType::data:
            receive_data(std::move(frame));
            break;
        case FrameType::ack:
            outgoing_[frame.stream].acknowledged(frame.sequence);
            break;
        default:
            return;
    }
    changed_.notify();
}

void RunningOperation::receive_data(Frame frame) {
    if (frame.source != root_id) return;
    Incoming& stream = incoming_[frame.stream];
    if (stream.receiver.accept(frame.sequence)) stream.chunks.push_back(std::move(frame.body));
}

void RunningOperation::cancel(CancelLevel level) {
    if (done_) return;
    const bool handled = cancel_handler_ && level != CancelLevel::kill;
    if (handled) {
        cancel_handler_(level);
        return;
    }
    ended_ = true;
    changed_.notify();
    stop_.emit(asio::cancellation_type::terminal);
}

void RunningOperation::expire() {
    expired_ = true;
    cancel(CancelLevel::kill);
}

Task<Result<RoleMessage>> RunningOperation::receive() {
    const auto self = shared_from_this();
    while (messages_.empty() && !ended_)
        co_await changed_.wait();
    if (messages_.empty()) co_return ended();
    RoleMessage message = std::move(messages_.front());
    messages_.pop_front();
    co_return message;
}

Frame RunningOperation::frame_to(HostId to, FrameType type) const {
    Frame frame;
    frame.type = type;
    frame.source = peers_.self;
    frame.destination = to;
    frame.operation = id_;
    return frame;
}

void RunningOperation::send(HostId to, std::string body) {
    if (!node_) return;
    if (to == root_id) return send_data(message_stream, std::move(body));
    Frame frame = frame_to(to, FrameType::message);
    frame.body = std::move(body);
    node_->send(std::move(frame));
}

void RunningOperation::send_data(std::uint32_t stream, std::string bytes) {
    const std::uint32_t sequence = outgoing_[stream].sent(bytes);
    send_stream(stream, sequence, std::move(bytes));
}

void RunningOperation::send_stream(std::uint32_t stream, std::uint32_t sequence, std::string bytes) {
    const bool message = stream == message_stream;
    Frame frame = frame_to(root_id, message ? FrameType::message : FrameType::data);
    frame.bulk = !message;
    frame.stream = stream;
    frame.sequence = sequence;
    frame.body = std::move(bytes);
    node_->send(std::move(frame));
}

bool RunningOperation::admit_control(std::uint32_t sequence) {
    control_ = std::max(control_, sequence);
    return controls_.insert(sequence).second;
}

void RunningOperation::finish(const RoleResult& result) {
    OperationEnd end{result, {}};
    for (const auto& [stream, sender] : outgoing_)
        end.sent[stream] = sender.next();
    done_ = encode(end);
    cancel_handler_ = {};
    if (node_) send_done();
}

void RunningOperation::send_done() {
    Frame frame = frame_to(root_id, FrameType::done);
    frame.bulk = true;  // behind the bytes that the operation has sent
    frame.body = *done_;
    node_->send(std::move(frame));
}

OperationProgress RunningOperation::progress() const {
    OperationProgress progress{id_, control_, {}};
    for (const auto& [stream, incoming] : incoming_)
        progress.streams[stream] = incoming.receiver.progress();
    return progress;
}

void RunningOperation::send_again(const OperationProgress& at_root) {
    if (!node_) return;
    for (auto& [stream, sender] : outgoing_) {
        const auto received = at_root.streams.find(stream);
        const StreamProgress none;
        for (auto& sent : sender.missing(received == at_root.streams.end() ? none : received->second))
            send_stream(stream, sent.sequence, std::move(sent.bytes));
    }
    if (done_) send_done();
    changed_.notify();
}

Task<Result<void>> RunningOperation::write(std::uint32_t stream, std::string bytes) {
    const auto self = shared_from_this();
    for (std::size_t at = 0; at < bytes.size();) {
        while (node_ && !ended_ && outgoing_[stream].room() == 0)
            co_await changed_.wait();
        if (!node_ || ended_) co_return ended();
        const std::size_t size = std::min({bytes.size() - at, outgoing_[stream].room(), stream_chunk});
        send_data(stream, bytes.substr(at, size));
        at += size;
        if (at < bytes.size()) co_await node_->drained_towards(root_id);
    }
    co_return Result<void>{};
}

void RunningOperation::finish(std::uint32_t stream) {
    if (node_) send_data(stream, "");
}

Task<Result<std::string>> RunningOperation::read(std::uint32_t stream) {
    const auto self = shared_from_this();
    while (incoming_[stream].chunks.empty() && !ended_)
        co_await changed_.wait();
    Incoming& from = incoming_[stream];
    if (from.chunks.empty()) co_return ended();
    std::string bytes = std::move(from.chunks.front());
    if (bytes.empty()) co_return bytes;  // the end stays the end
    from.chunks.pop_front();
    if (const auto sequence = from.receiver.consumed(bytes.size()); sequence && node_) {
        Frame frame = frame_to(root_id, FrameType::ack);
        frame.stream = stream;
        frame.sequence = *sequence;
        node_->send(std::move(frame));
    }
    co_return bytes;
}

}  // namespace trellis
