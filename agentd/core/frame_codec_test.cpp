#include "agentd/core/frame_codec.hpp"

#include <gtest/gtest.h>

namespace trellis {
namespace {

Frame sample(std::string body) {
    Frame frame;
    frame.type = FrameType::data;
    frame.bulk = true;
    frame.source = HostId{7};
    frame.destination = HostId{9};
    frame.operation = OperationId{3};
    frame.stream = 2;
    frame.sequence = 0x01020304;
    frame.body = std::move(body);
    return frame;
}

std::string bytes_of(const Frame& frame) {
    std::string bytes;
    append_frame(bytes, frame);
    return bytes;
}

TEST(FrameCodec, HeaderIsLittleEndianAndOfTheSizeThatIsPromised) {
    const std::string bytes = bytes_of(sample("abc"));
    ASSERT_EQ(bytes.size(), frame_header_size + 3);
    EXPECT_EQ(bytes.substr(0, 8), std::string("\x03\0\0\0\x0c\x02\0\0", 8));
    EXPECT_EQ(bytes.substr(24, 4), std::string("\x04\x03\x02\x01", 4));
}

TEST(FrameCodec, FramesSurviveEveryCutOfTheStream) {
    Frame second = sample("");
    second.type = FrameType::bye;
    second.bulk = false;
    second.multicast = true;
    const std::string bytes = bytes_of(sample("hello")) + bytes_of(second);
    for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
        FrameDecoder decoder;
        std::vector<Frame> frames;
        for (const std::string& piece : {bytes.substr(0, cut), bytes.substr(cut)}) {
            decoder.feed(piece);
            for (auto next = decoder.next(); next.value(); next = decoder.next())
                frames.push_back(**next);
        }
        ASSERT_EQ(frames.size(), 2u);
        EXPECT_EQ(frames[0], sample("hello"));
        EXPECT_EQ(frames[1], second);
        EXPECT_FALSE(decoder.inside_frame());
    }
}

TEST(FrameCodec, WrongHeadersAreRefusedBeforeTheBodyComes) {
    const auto refused = [](std::size_t at, char value) {
        std::string bytes = bytes_of(sample("abc")).substr(0, frame_header_size);
        bytes[at] = value;
        FrameDecoder decoder;
        decoder.feed(bytes);
        const bool first = decoder.next().has_error();
        decoder.feed(bytes_of(sample("")));
        return first && decoder.next().has_error();
    };
    EXPECT_TRUE(refused(3, 1));                                       // 16 MiB
    EXPECT_TRUE(refused(4, 0));                                       // no type
    EXPECT_TRUE(refused(4, static_cast<char>(last_frame_type + 1)));  // unknown type
    EXPECT_TRUE(refused(5, 4));                                       // unknown flag
    EXPECT_TRUE(refused(7, 1));                                       // reserved
}

TEST(FrameCodec, TheLargestBodyPassesAndALargerOneIsABug) {
    const Frame largest = sample(std::string(max_frame_body, 'x'));
    FrameDecoder decoder;
    decoder.feed(bytes_of(largest));
    EXPECT_EQ(decoder.next().value(), largest);
    EXPECT_THROW(bytes_of(sample(std::string(max_frame_body + 1, 'x'))), std::logic_error);
}

}  // namespace
}  // namespace trellis
