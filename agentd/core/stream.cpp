#include "agentd/core/stream.hpp"

#include <utility>

namespace trellis {

std::uint32_t StreamSender::sent(std::string bytes) {
    under_way_ += bytes.size();
    unacknowledged_.push_back(std::move(bytes));
    return next() - 1;
}

void StreamSender::acknowledged(std::uint32_t sequence) {
    const std::uint32_t count = sequence - first_;  // modulo 2^32, as sequence numbers wrap
    if (count > unacknowledged_.size()) return;
    for (std::uint32_t i = 0; i < count; ++i) {
        under_way_ -= unacknowledged_.front().size();
        unacknowledged_.pop_front();
    }
    first_ = sequence;
}

std::vector<StreamSender::Sent> StreamSender::missing(StreamProgress at_receiver) {
    acknowledged(at_receiver.consumed);
    std::vector<Sent> frames;
    for (std::size_t i = at_receiver.next - first_; i < unacknowledged_.size(); ++i)
        frames.push_back({first_ + static_cast<std::uint32_t>(i), unacknowledged_[i]});
    return frames;
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
