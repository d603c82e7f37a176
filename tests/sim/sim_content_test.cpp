#include "tests/sim/sim_content.hpp"

#include <algorithm>
#include <random>
#include <string>

#include <gtest/gtest.h>

namespace trellis::sim {
namespace {

TEST(SimContent, IsWhatAStringWouldBe) {
    std::minstd_rand random(1);
    const auto below = [&](std::size_t limit) { return random() % limit; };
    SimContent content;
    std::string bytes;
    for (int i = 0; i < 400; ++i) {
        const std::size_t at = below(100'000);
        if (below(8) == 0) {
            content.resize(at);
            bytes.resize(at);
        } else {
            const std::string part(below(40'000), below(4) == 0 ? '\0' : static_cast<char>('a' + below(26)));
            content.write(at, part);
            bytes.resize(std::max(bytes.size(), at + part.size()));
            bytes.replace(at, part.size(), part);
        }
        ASSERT_EQ(content.size(), bytes.size());
        ASSERT_TRUE(content == bytes);
        const std::size_t from = below(130'000);
        const std::size_t size = below(60'000);
        ASSERT_TRUE(content.read(from, size) == (from < bytes.size() ? bytes.substr(from, size) : ""));
        std::string other = bytes;
        if (!other.empty()) ++other[below(other.size())];
        ASSERT_EQ(content == other, other.empty());
        ASSERT_FALSE(content == other + "x");
    }
}

TEST(SimContent, HolesHaveNoBlocks) {
    SimContent content;
    content.resize(1 << 20);
    EXPECT_EQ(content.blocks(), 0u);
    content.write((1 << 20) - 1, "x");
    content.write(100'000, std::string(10'000, '\0'));
    EXPECT_EQ(content.blocks(), 4096u);
    content.write(8191, "xy");
    EXPECT_EQ(content.blocks(), 3u * 4096);
}

}  // namespace
}  // namespace trellis::sim
