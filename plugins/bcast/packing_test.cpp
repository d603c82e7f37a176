// Packed chunks, and bytes that are none.
#include "plugins/bcast/packing.hpp"

#include "plugins/bcast/object.hpp"

#include <random>

#include <gtest/gtest.h>

namespace trellis::plugins::bcast {
namespace {

std::string words(std::size_t size) {
    std::string text;
    for (int i = 0; text.size() < size; ++i)
        text += "line " + std::to_string(i * 7919 % 1000) + "\n";
    text.resize(size);
    return text;
}

TEST(BcastPacking, GivesBackWhatWasPacked) {
    for (const std::size_t size : {std::size_t{100}, std::size_t{70'000}, chunk_size}) {
        const std::string text = words(size);
        const auto packed = pack(text);
        ASSERT_TRUE(packed) << size;
        EXPECT_LT(packed->size(), size);
        EXPECT_EQ(unpack(*packed, size), text);
    }
}

TEST(BcastPacking, LeavesWhatCannotBeMadeSmaller) {
    std::mt19937_64 random(3);
    std::string noise(chunk_size, '\0');
    for (char& byte : noise)
        byte = static_cast<char>(random());
    EXPECT_FALSE(pack(noise));
    EXPECT_FALSE(pack("a"));
    EXPECT_FALSE(pack(""));
}

// A few kilobytes that would fill a gigabyte.
TEST(BcastPacking, NeverUnpacksMoreThanItShould) {
    const auto bomb = pack(std::string(std::size_t{64} << 20, 'x'));
    ASSERT_TRUE(bomb);
    EXPECT_LT(bomb->size(), 20'000u);
    EXPECT_FALSE(unpack(*bomb, chunk_size));
}

TEST(BcastPacking, RefusesDamagedBytes) {
    const std::string text = words(50'000);
    const std::string packed = *pack(text);
    EXPECT_FALSE(unpack(packed, text.size() - 1));
    EXPECT_FALSE(unpack(packed, text.size() + 1));
    EXPECT_FALSE(unpack("", text.size()));
    EXPECT_FALSE(unpack("not packed at all", text.size()));
    for (std::size_t at = 0; at < packed.size(); at += 97) {
        std::string damaged = packed;
        damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
        const auto got = unpack(damaged, text.size());
        EXPECT_TRUE(!got || got->size() == text.size()) << at;
        EXPECT_FALSE(unpack(packed.substr(0, at), text.size())) << at;
    }
}

}  // namespace
}  // namespace trellis::plugins::bcast
