#include "agentd/data/message_stream.hpp"

#include <cstdint>
#include <cstring>
#include <utility>

namespace trellis {
namespace {

constexpr std::size_t prefix_size = 4;

Failure failure(FailureKind kind, std::string cause) {
    return {kind, "exchange messages with a peer", "", std::move(cause)};
}

}  // namespace

// The right to write. Unless done() is called the stream is closed at the end of it.
class MessageStream::Turn {
  public:
    explicit Turn(MessageStream& stream) : stream_(stream) { stream_.writing_ = true; }
    ~Turn() {
        stream_.writing_ = false;
        if (!done_) stream_.close();
        stream_.written_.notify();
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    void done() { done_ = true; }

  private:
    MessageStream& stream_;
    bool done_ = false;
};

MessageStream::MessageStream(const Executor& executor, std::unique_ptr<ByteStream> stream)
    : stream_(std::move(stream)), written_(executor) {}

// Until `input_` has at least `size` bytes.
Task<Result<void>> MessageStream::fill(std::size_t size) {
    while (input_.size() < size) {
        Result<std::string> part = co_await stream_->read();
        if (!part) co_return part.error();
        if (part->empty()) co_return failure(FailureKind::lost, "the peer closed the connection");
        input_ += *part;
    }
    co_return Result<void>();
}

Task<Result<std::string>> MessageStream::receive() {
    Result<void> filled = co_await fill(prefix_size);
    if (!filled) co_return filled.error();
    std::uint32_t size = 0;
    std::memcpy(&size, input_.data(), prefix_size);
    if (size > max_peer_message) {
        close();
        co_return failure(FailureKind::invalid, "an oversized message");
    }
    filled = co_await fill(prefix_size + size);
    if (!filled) co_return filled.error();
    std::string message = input_.substr(prefix_size, size);
    input_.erase(0, prefix_size + size);
    co_return message;
}

Task<Result<void>> MessageStream::send(std::string message) {
    if (message.size() > max_peer_message) {
        co_return failure(FailureKind::invalid,
                          "the message is longer than " + std::to_string(max_peer_message) + " bytes");
    }
    while (writing_)
        co_await written_.wait();
    if (closed_) co_return failure(FailureKind::cancelled, "closed");
    Turn turn(*this);
    const auto size = static_cast<std::uint32_t>(message.size());
    char prefix[prefix_size];
    std::memcpy(prefix, &size, prefix_size);
    message.insert(0, prefix, prefix_size);
    Result<void> result = co_await stream_->write(std::move(message));
    if (result) turn.done();
    co_return result;
}

void MessageStream::close() {
    if (std::exchange(closed_, true)) return;
    stream_->close();
    written_.notify();
}

}  // namespace trellis
