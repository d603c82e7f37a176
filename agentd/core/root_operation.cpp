#include "agentd/core/root_operation.hpp"

#include "agentd/core/end_merger.hpp"

#include <algorithm>
#include <utility>

namespace trellis {

Frame RootOperation::frame(FrameType type) const {
    Frame made;
    made.type = type;
    made.source = root_id;
    made.operation = id_;
    return made;
}

HostSet RootOperation::running() const {
    std::vector<HostId> hosts;
    for (const auto& [host, part] : parts_) {
        if (!part.ended) hosts.push_back(host);
    }
    return HostSet(std::move(hosts));
}

Task<std::optional<OperationEvent>> RootOperation::next() {
    acknowledge();
    while (arrivals_.empty() && left_ > 0)
        co_await changed_.wait();
    if (arrivals_.empty()) co_return std::nullopt;
    OperationEvent event = std::move(arrivals_.front().event);
    if (arrivals_.front().result) event.what = *arrivals_.front().result;
    arrivals_.pop_front();
    if (const auto* data = std::get_if<StreamData>(&event.what); data && !data->end) {
        given_ = Unacknowledged{event.host, data->stream, data->bytes.size()};
    } else if (const auto* message = std::get_if<HostMessage>(&event.what)) {
        given_ = Unacknowledged{event.host, message_stream, message->body.size()};
    }
    co_return event;
}

void RootOperation::acknowledge() {
    if (!given_) return;
    const Unacknowledged read = *std::exchange(given_, std::nullopt);
    Part& part = parts_.at(read.host);
    const auto sequence = part.incoming[read.stream].consumed(read.bytes);
    if (!sequence || part.ended) return;
    Frame ack = frame(FrameType::ack);
    ack.destination = read.host;
    ack.stream = read.stream;
    ack.sequence = *sequence;
    node_->send(std::move(ack));
}

void RootOperation::push(HostId host, decltype(OperationEvent::what) what) {
    push(OperationEvent{host, std::move(what)}, nullptr);
}

void RootOperation::push(OperationEvent event, std::shared_ptr<const RoleResult> result) {
    arrivals_.push_back({std::move(event), std::move(result)});
    changed_.notify();
}

void RootOperation::deliver(Frame received) {
    if (received.type == FrameType::done) return receive_end({received.source}, received.body);
    if (received.type == FrameType::ends) return receive_ends(received);
    const auto place = parts_.find(received.source);
    if (place == parts_.end() || place->second.ended) return;
    Part& part = place->second;
    switch (received.type) {
        case FrameType::message:
            return receive_message(part, std::move(received));
        case FrameType::data:
            return receive_data(part, std::move(received));
        case FrameType::ack:
            part.outgoing[received.stream].acknowledged(received.sequence);
            return changed_.notify();
        default:
            return;
    }
}

void RootOperation::receive_message(Part& part, Frame received) {
    if (!part.incoming[message_stream].accept(received.sequence)) return;
    push(received.source, HostMessage{std::move(received.body)});
}

void RootOperation::receive_data(Part& part, Frame received) {
    if (!part.incoming[received.stream].accept(received.sequence)) return;
    const bool end_of_stream = received.body.empty();
    push(received.source, StreamData{received.stream, std::move(received.body), end_of_stream});
}

void RootOperation::receive_ends(const Frame& received) {
    const auto merged = decode<MergedEnds>(received.body);
    if (!merged) return;
    for (const EqualEnds& equal : expand(*merged, nullptr))
        receive_end(equal.hosts.ids(), equal.end);
}

// It may come before what a broken link has swallowed; then it will come again.
void RootOperation::receive_end(const std::vector<HostId>& hosts, const std::string& end_bytes) {
    const auto last = decode<OperationEnd>(end_bytes);
    const auto result =
        std::make_shared<const RoleResult>(last ? last->result : RoleResult{Outcome::of(last.error()), ""});
    const std::map<std::uint32_t, std::uint32_t> nothing;
    const auto& sent = last ? last->sent : nothing;
    for (const HostId host : hosts)
        if (has_got(host, sent)) end(host, result);
}

bool RootOperation::has_got(HostId host, const std::map<std::uint32_t, std::uint32_t>& sent) {
    const auto place = parts_.find(host);
    return place != parts_.end() && std::ranges::all_of(sent, [&](const auto& frames) {
               return place->second.incoming[frames.first].progress().next == frames.second;
           });
}

void RootOperation::end(HostId host, std::shared_ptr<const RoleResult> result) {
    const auto place = parts_.find(host);
    if (place == parts_.end() || place->second.ended) return;
    place->second.ended = true;
    --left_;
    push(OperationEvent{host, {}}, std::move(result));
}

void RootOperation::fail(HostId host, const Failure& failure) {
    end(host, std::make_shared<const RoleResult>(RoleResult{Outcome::of(failure), ""}));
}

void RootOperation::suspicion(HostId host, bool suspect) {
    const auto place = parts_.find(host);
    if (place != parts_.end() && !place->second.ended) push(host, HostSuspicion{suspect});
}

void RootOperation::send_control(Frame frame, const HostSet& to) {
    frame.sequence = static_cast<std::uint32_t>(controls_.size());
    controls_.push_back({frame, to});
    node_->multicast(std::move(frame), to);
}

void RootOperation::begin(const StartOperation& start, std::vector<HostId> hosts) {
    session_ = {id_, start.nonce, root_id, start.participants, start.plain};
    Frame first = frame(FrameType::start);
    first.body = encode(start);
    send_control(std::move(first), HostSet(std::move(hosts)));
}

Task<Result<std::unique_ptr<ByteStream>>> RootOperation::connect(HostId to, Endpoint at, Duration timeout) {
    if (!table_) co_return Failure{FailureKind::cancelled, "connect to a host", "", "the session has ended"};
    co_return co_await table_->network_.connect(session_, to, std::move(at), timeout);
}

std::optional<OperationProgress> RootOperation::progress(HostId host) const {
    const auto place = parts_.find(host);
    if (place == parts_.end() || place->second.ended) return std::nullopt;
    OperationProgress progress{id_, 0, {}};
    for (const auto& [stream, receiver] : place->second.incoming)
        progress.streams[stream] = receiver.progress();
    return progress;
}

void RootOperation::send_again(HostId host, const OperationProgress* at_host) {
    const auto place = parts_.find(host);
    if (place == parts_.end() || place->second.ended) return;
    for (const Control& control : controls_) {
        const bool known = at_host && control.frame.sequence <= at_host->control;
        if (known || !control.to.contains(host)) continue;
        Frame again = control.frame;
        again.stream = 1;  // no relay takes it for the beginning of the operation
        node_->multicast(std::move(again), HostSet({host}));
    }
    for (auto& [stream, sender] : place->second.outgoing) {
        StreamProgress received;
        if (at_host && at_host->streams.contains(stream)) received = at_host->streams.at(stream);
        for (auto& sent : sender.missing(received))
            send_stream(host, stream, sent.sequence, std::move(sent.bytes));
    }
    changed_.notify();
}

void RootOperation::send(HostId to, std::string body) {
    Frame message = frame(FrameType::message);
    message.body = std::move(body);
    send_control(std::move(message), HostSet({to}));
}

void RootOperation::send_all(std::string body) {
    Frame message = frame(FrameType::message);
    message.body = std::move(body);
    send_control(std::move(message), running());
}

void RootOperation::send_data(HostId to, Part& part, std::uint32_t stream, std::string bytes) {
    const std::uint32_t sequence = part.outgoing[stream].sent(bytes);
    send_stream(to, stream, sequence, std::move(bytes));
}

void RootOperation::send_stream(HostId to, std::uint32_t stream, std::uint32_t sequence, std::string bytes) {
    Frame data = frame(FrameType::data);
    data.bulk = true;
    data.destination = to;
    data.stream = stream;
    data.sequence = sequence;
    data.body = std::move(bytes);
    node_->send(std::move(data));
}

Task<Result<void>> RootOperation::write(HostId to, std::uint32_t stream, std::string bytes) {
    Part& part = parts_.at(to);
    for (std::size_t at = 0; at < bytes.size();) {
        while (!part.ended && part.outgoing[stream].room() == 0)
            co_await changed_.wait();
        if (part.ended) co_return Failure{FailureKind::lost, "", "", "the other end is gone"};
        const std::size_t size = std::min({bytes.size() - at, part.outgoing[stream].room(), stream_chunk});
        send_data(to, part, stream, bytes.substr(at, size));
        at += size;
    }
    co_return Result<void>{};
}

void RootOperation::finish(HostId to, std::uint32_t stream) {
    Part& part = parts_.at(to);
    if (!part.ended) send_data(to, part, stream, "");
}

void RootOperation::cancel(CancelLevel level) {
    Frame message = frame(FrameType::cancel);
    const CancelOperation body{level};
    message.body = encode(body);
    send_control(std::move(message), running());
}

void RootOperation::abandon() {
    if (left_ > 0) cancel(CancelLevel::kill);
    const HostSet unfinished = running();
    for (const HostId host : unfinished.ids()) {
        fail(host, {FailureKind::cancelled, "", "", "given up"});
    }
}

}  // namespace trellis
