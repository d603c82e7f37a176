#include "agentd/core/stream.hpp"

#include <gtest/gtest.h>

namespace trellis {
namespace {

TEST(StreamSender, StopsAtTheWindowAndGoesOnAfterAcknowledgement) {
    StreamSender sender;
    while (sender.room() >= stream_chunk)
        sender.sent(std::string(stream_chunk, 'x'));
    EXPECT_EQ(sender.room(), 0U);
    sender.acknowledged(3);
    EXPECT_EQ(sender.room(), 3 * stream_chunk);
}

TEST(StreamSender, IgnoresAcknowledgementOfWhatWasNeverSent) {
    StreamSender sender;
    sender.sent(std::string(10, 'x'));
    sender.acknowledged(7);
    EXPECT_EQ(sender.room(), stream_window - 10);
    sender.acknowledged(1);
    sender.acknowledged(0);
    EXPECT_EQ(sender.room(), stream_window);
}

TEST(StreamSender, SendsAgainWhatTheReceiverLacks) {
    StreamSender sender;
    for (const char* bytes : {"a", "b", "c", "d"})
        sender.sent(bytes);
    const auto missing = sender.missing({2, 1});
    ASSERT_EQ(missing.size(), 2U);
    EXPECT_EQ(missing[0].sequence, 2U);
    EXPECT_EQ(missing[1].bytes, "d");
    EXPECT_EQ(sender.room(), stream_window - 3);  // "a" is consumed
    EXPECT_TRUE(sender.missing({4, 2}).empty());
    EXPECT_TRUE(sender.missing({9, 9}).empty());
}

TEST(StreamReceiver, RefusesRepeatedFramesAndGaps) {
    StreamReceiver receiver;
    EXPECT_TRUE(receiver.accept(0));
    EXPECT_FALSE(receiver.accept(0));
    EXPECT_FALSE(receiver.accept(2));
    EXPECT_TRUE(receiver.accept(1));
}

TEST(Stream, ASenderNeverStallsWhenEverythingIsConsumed) {
    StreamSender sender;
    StreamReceiver receiver;
    for (int i = 0; i < 100000; ++i) {
        const std::size_t size = 1 + static_cast<std::size_t>(i) % stream_chunk;
        ASSERT_GE(sender.room(), size);
        ASSERT_TRUE(receiver.accept(sender.sent(std::string(size, 'x'))));
        if (const auto sequence = receiver.consumed(size)) sender.acknowledged(*sequence);
    }
}

}  // namespace
}  // namespace trellis
