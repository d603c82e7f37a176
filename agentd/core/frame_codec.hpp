// Frames to bytes and back. Pure: knows no link, no version (the hello frame carries it), no meaning of a
// body. The header, little-endian, frame_header_size = 28 bytes:
//   0  u32 length of the body, at most max_frame_body
//   4  u8  type (FrameType)
//   5  u8  flags: 1 multicast, 2 bulk; all others zero
//   6  u16 zero
//   8  u32 source, 12 u32 destination, 16 u32 operation, 20 u32 stream, 24 u32 sequence
#pragma once

#include "trellis/frame.hpp"
#include "trellis/result.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace trellis {

// Appends header and body. A body longer than max_frame_body is a bug (std::logic_error).
void append_frame(std::string& to, const Frame& frame);

// Decodes a stream of bytes piece by piece. Never holds more than one frame beyond what was fed.
class FrameDecoder {
  public:
    void feed(std::string_view bytes);
    // The next frame, nothing if more bytes are needed, or a Failure of kind invalid as soon as a header is
    // wrong; after a Failure every call returns it again.
    [[nodiscard]] Result<std::optional<Frame>> next();
    // Whether bytes of an unfinished frame are held: an end of the stream here is premature.
    [[nodiscard]] bool inside_frame() const { return begin_ < bytes_.size(); }

  private:
    [[nodiscard]] Result<std::optional<Frame>> fail(std::string cause);

    std::string bytes_;
    std::size_t begin_ = 0;  // what lies before has been decoded
    std::string error_;
};

}  // namespace trellis
