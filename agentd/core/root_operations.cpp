#include "agentd/core/root_operations.hpp"

#include "agentd/core/mailbox.hpp"
#include "agentd/core/stream.hpp"

#include <algorithm>
#include <deque>
#include <utility>

#include <openssl/rand.h>

namespace trellis {

class RootOperation final : public Operation {
  public:
    RootOperation(RootOperations& table, OperationId id, const std::vector<HostId>& hosts)
        : table_(&table), node_(table.node_), id_(id), changed_(table.executor_) {
        for (const HostId host : hosts)
            parts_[host];
        left_ = parts_.size();
        table_->running_[id] = this;
    }
    RootOperation(const RootOperation&) = delete;
    RootOperation& operator=(const RootOperation&) = delete;
    ~RootOperation() override {
        if (left_ > 0) cancel(CancelLevel::kill);
        if (table_) table_->running_.erase(id_);
    }

    Task<std::optional<OperationEvent>> next() override;
    void send(HostId to, std::string body) override;
    void send_all(std::string body) override;
    Task<Result<void>> write(HostId to, std::uint32_t stream, std::string bytes) override;
    void finish(HostId to, std::uint32_t stream) override;
    void cancel(CancelLevel level) override;
    void abandon() override;
    [[nodiscard]] OperationId id() const override { return id_; }

    void deliver(Frame frame);
    void end(HostId host, RoleResult result);
    void suspicion(HostId host, bool suspect);
    // The session has ended before the operation: nothing more comes, whoever waits is woken.
    void orphan() {
        table_ = nullptr;
        left_ = 0;
        changed_.notify();
    }

  private:
    struct Part {
        bool ended = false;
        std::map<std::uint32_t, StreamReceiver> incoming;
        std::map<std::uint32_t, StreamSender> outgoing;
    };
    void acknowledge();
    void receive_data(Part& part, Frame frame);
    void push(HostId host, decltype(OperationEvent::what) what);
    void send_data(HostId to, Part& part, std::uint32_t stream, std::string bytes);
    [[nodiscard]] Frame frame(FrameType type) const;
    [[nodiscard]] HostSet running() const;

    RootOperations* table_;  // null once that is gone
    std::shared_ptr<Node> node_;
    OperationId id_;
    std::map<HostId, Part> parts_;
    std::size_t left_ = 0;
    std::deque<OperationEvent> events_;
    struct Unacknowledged {
        HostId host{};
        std::uint32_t stream = 0;
        std::size_t bytes = 0;
    };
    std::optional<Unacknowledged> given_;  // the data event that next() returned last
    Signal changed_;
};

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
    while (events_.empty() && left_ > 0)
        co_await changed_.wait();
    if (events_.empty()) co_return std::nullopt;
    OperationEvent event = std::move(events_.front());
    events_.pop_front();
    if (const auto* data = std::get_if<StreamData>(&event.what); data && !data->end) {
        given_ = Unacknowledged{event.host, data->stream, data->bytes.size()};
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
    events_.push_back({host, std::move(what)});
    changed_.notify();
}

void RootOperation::deliver(Frame received) {
    const auto place = parts_.find(received.source);
    if (place == parts_.end() || place->second.ended) return;
    Part& part = place->second;
    switch (received.type) {
        case FrameType::message:
            return push(received.source, HostMessage{std::move(received.body)});
        case FrameType::data:
            return receive_data(part, std::move(received));
        case FrameType::ack:
            part.outgoing[received.stream].acknowledged(received.sequence);
            return changed_.notify();
        case FrameType::done: {
            auto result = decode<RoleResult>(received.body);
            if (!result) result = RoleResult{Outcome::of(result.error()), ""};
            return end(received.source, std::move(*result));
        }
        default:
            return;
    }
}

void RootOperation::receive_data(Part& part, Frame received) {
    if (!part.incoming[received.stream].accept(received.sequence)) return;
    const bool end_of_stream = received.body.empty();
    push(received.source, StreamData{received.stream, std::move(received.body), end_of_stream});
}

void RootOperation::end(HostId host, RoleResult result) {
    const auto place = parts_.find(host);
    if (place == parts_.end() || place->second.ended) return;
    place->second.ended = true;
    --left_;
    push(host, std::move(result));
}

void RootOperation::suspicion(HostId host, bool suspect) {
    const auto place = parts_.find(host);
    if (place != parts_.end() && !place->second.ended) push(host, HostSuspicion{suspect});
}

void RootOperation::send(HostId to, std::string body) {
    Frame message = frame(FrameType::message);
    message.destination = to;
    message.body = std::move(body);
    node_->send(std::move(message));
}

void RootOperation::send_all(std::string body) {
    Frame message = frame(FrameType::message);
    message.body = std::move(body);
    node_->multicast(std::move(message), running());
}

void RootOperation::send_data(HostId to, Part& part, std::uint32_t stream, std::string bytes) {
    Frame data = frame(FrameType::data);
    data.bulk = true;
    data.destination = to;
    data.stream = stream;
    data.sequence = part.outgoing[stream].sent(bytes.size());
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
    node_->multicast(std::move(message), running());
}

void RootOperation::abandon() {
    if (left_ > 0) cancel(CancelLevel::kill);
    const HostSet unfinished = running();
    for (const HostId host : unfinished.ids()) {
        end(host, RoleResult{Outcome::of({FailureKind::cancelled, "", "", "given up"}), ""});
    }
}

RootOperations::RootOperations(Executor executor, std::shared_ptr<Node> node, const Membership& membership)
    : executor_(std::move(executor)), node_(std::move(node)), membership_(membership) {}

RootOperations::~RootOperations() {
    for (const auto& [id, operation] : running_)
        operation->orphan();
}

StartOperation RootOperations::start_message(const OperationRequest& request) const {
    StartOperation start;
    start.kind = request.kind;
    start.request = request.body;
    start.remaining = request.timeout;
    if (!request.peers) return start;
    start.nonce.resize(32);
    RAND_bytes(reinterpret_cast<unsigned char*>(start.nonce.data()), 32);
    for (const HostId host : request.hosts) {
        if (const Member* member = membership_.find(host)) start.participants.push_back(member->host);
    }
    return start;
}

std::unique_ptr<Operation> RootOperations::start(OperationRequest request) {
    auto operation =
        std::make_unique<RootOperation>(*this, static_cast<OperationId>(++last_id_), request.hosts);
    std::vector<HostId> there;
    for (const HostId host : request.hosts) {
        if (membership_.alive(host)) {
            there.push_back(host);
        } else {
            operation->end(host, RoleResult{Outcome::of({FailureKind::lost, "", "", "lost"}), ""});
        }
    }
    Frame frame;
    frame.type = FrameType::start;
    frame.source = root_id;
    frame.operation = operation->id();
    frame.body = encode(start_message(request));
    node_->multicast(std::move(frame), HostSet(std::move(there)));
    return operation;
}

void RootOperations::deliver(Frame frame) {
    const auto place = running_.find(frame.operation);
    if (place != running_.end()) place->second->deliver(std::move(frame));
}

void RootOperations::host_changed(HostId host, MemberState state, const std::string& cause) {
    for (const auto& [id, operation] : running_) {
        if (state == MemberState::lost) {
            operation->end(host, RoleResult{Outcome::of({FailureKind::lost, "", "", "lost: " + cause}), ""});
        } else {
            operation->suspicion(host, state == MemberState::suspect);
        }
    }
}

}  // namespace trellis
