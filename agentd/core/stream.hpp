// The two ends of one stream of an operation: a window of bytes that may be under way, frame numbers, and
// cumulative acknowledgement of what the reader has consumed (not merely received), so that a slow reader
// stops the writer. The sender keeps what is not acknowledged: after a broken path it can be sent again.
// Pure: they neither send nor wait.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace trellis {

inline constexpr std::size_t stream_window = std::size_t{256} << 10;  // bytes
inline constexpr std::size_t stream_chunk = std::size_t{32} << 10;    // most bytes in one frame
// The messages of an operation from an agent to the root are frames of a stream, too.
inline constexpr std::uint32_t message_stream = 0xffffffff;

// How far the receiving end is: sequence numbers.
struct StreamProgress {
    std::uint32_t next = 0;      // of the frame that it expects
    std::uint32_t consumed = 0;  // of the first frame that its reader has not consumed
    template <class Archive>
    void serialize(Archive& archive) {
        archive(next, consumed);
    }
};

class StreamSender {
  public:
    // Bytes that may be sent now.
    [[nodiscard]] std::size_t room() const { return stream_window - std::min(under_way_, stream_window); }
    // Counts a frame with these bytes as sent; returns its sequence number.
    std::uint32_t sent(std::string bytes);
    // All frames before `sequence` are consumed. An acknowledgement of what was never sent is ignored.
    void acknowledged(std::uint32_t sequence);

    struct Sent {
        std::uint32_t sequence = 0;
        std::string bytes;
    };
    // What the receiver has not got, in order; nothing if it claims more than was sent. Counts as
    // acknowledgement, too.
    [[nodiscard]] std::vector<Sent> missing(StreamProgress at_receiver);
    // The sequence number of the frame that will be sent next.
    [[nodiscard]] std::uint32_t next() const {
        return first_ + static_cast<std::uint32_t>(unacknowledged_.size());
    }

  private:
    std::deque<std::string> unacknowledged_;
    std::uint32_t first_ = 0;  // sequence number of the first of them
    std::size_t under_way_ = 0;
};

class StreamReceiver {
  public:
    // True if the frame is the next one and is to be read; a repeated frame or a gap is not.
    bool accept(std::uint32_t sequence);
    [[nodiscard]] StreamProgress progress() const { return {next_, consumed_}; }
    // The reader has consumed a frame of `bytes`: the sequence number to acknowledge now, if it is time to.
    std::optional<std::uint32_t> consumed(std::size_t bytes);

  private:
    std::uint32_t next_ = 0;
    std::uint32_t consumed_ = 0;
    std::size_t since_acknowledgement_ = 0;
};

}  // namespace trellis
