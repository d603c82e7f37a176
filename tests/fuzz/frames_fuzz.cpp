// Frames: any bytes in any pieces. The first byte chooses the size of the pieces.
#include "agentd/core/frame_codec.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

// What has been decoded must come out the same again.
void check_round_trip(const trellis::Frame& frame) {
    std::string bytes;
    trellis::append_frame(bytes, frame);
    trellis::FrameDecoder decoder;
    decoder.feed(bytes);
    auto again = decoder.next();
    if (!again || !*again || **again != frame || decoder.inside_frame()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::size_t piece = std::size_t{data[0]} + 1;
    std::string_view left(reinterpret_cast<const char*>(data) + 1, size - 1);
    trellis::FrameDecoder decoder;
    while (!left.empty()) {
        decoder.feed(left.substr(0, piece));
        left.remove_prefix(std::min(piece, left.size()));
        for (;;) {
            auto frame = decoder.next();
            if (!frame) return 0;
            if (!*frame) break;
            check_round_trip(**frame);
        }
    }
    return 0;
}
