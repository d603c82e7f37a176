#include "agentd/core/stream.hpp"

namespace trellis {

std::uint32_t StreamSender::sent(std::size_t bytes) {
    unacknowledged_.push_back(bytes);
    under_way_ += bytes;
    return first_ + static_cast<std::uint32_t>(unacknowledged_.size() - 1);
}

void StreamSender::acknowledged(std::uint32_t sequence) {
    const std::uint32_t count = sequence - first_;  // modulo 2^32, as sequence numbers wrap
    if (count > unacknowledged_.size()) return;
    for (std::uint32_t i = 0; i < count; ++i) {
        under_way_ -= unacknowledged_.front();
        unacknowledged_.pop_front();
    }
    first_ = sequence;
}

bool StreamReceiver::accept(std::uint32_t sequence) {
    if (sequence != next_) return false;
    ++next_;
    return true;
}

std::optional<std::uint32_t> StreamReceiver::consumed(std::size_t bytes) {
    ++consumed_;
    since_acknowledgement_ += bytes;
    if (since_acknowledgement_ < stream_window / 4) return std::nullopt;
    since_acknowledgement_ = 0;
    return consumed_;
}

}  // namespace trellis
