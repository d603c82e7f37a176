// The two ends of one stream of an operation: a window of bytes that may be under way, frame numbers, and
// cumulative acknowledgement of what the reader has consumed (not merely received), so that a slow reader
// stops the writer. Pure: they neither send nor wait.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

namespace trellis {

inline constexpr std::size_t stream_window = std::size_t{256} << 10;  // bytes
inline constexpr std::size_t stream_chunk = std::size_t{32} << 10;    // most bytes in one frame

class StreamSender {
  public:
    // Bytes that may be sent now.
    [[nodiscard]] std::size_t room() const { return stream_window - under_way_; }
    // Counts a frame of `bytes` (at most room()) as sent; returns its sequence number.
    std::uint32_t sent(std::size_t bytes);
    // All frames before `sequence` are consumed. An acknowledgement of what was never sent is ignored.
    void acknowledged(std::uint32_t sequence);

  private:
    std::deque<std::size_t> unacknowledged_;  // sizes
    std::uint32_t first_ = 0;                 // sequence number of the first of them
    std::size_t under_way_ = 0;
};

class StreamReceiver {
  public:
    // True if the frame is the next one and is to be read; a repeated frame or a gap is not.
    bool accept(std::uint32_t sequence);
    // The reader has consumed a frame of `bytes`: the sequence number to acknowledge now, if it is time to.
    std::optional<std::uint32_t> consumed(std::size_t bytes);

  private:
    std::uint32_t next_ = 0;
    std::uint32_t consumed_ = 0;
    std::size_t since_acknowledgement_ = 0;
};

}  // namespace trellis
