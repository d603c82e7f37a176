#include "trellis/message.hpp"

#include "trellis/host.hpp"
#include "trellis/spawner.hpp"

#include <gtest/gtest.h>

namespace trellis {
namespace {

Host sample_host() {
    Host host;
    host.id = HostId{7};
    host.name = "a07";
    host.addresses = {{"10.1.0.7", "10.0.0.0/8"}, {"fd00::7", "fd00::/8"}};
    host.key = std::string(32, '\x7f');
    return host;
}

TEST(Message, RoundTripKeepsEveryField) {
    const auto decoded = decode<Host>(encode(sample_host()));
    ASSERT_TRUE(decoded);
    EXPECT_EQ(*decoded, sample_host());
}

TEST(Message, EveryTruncationIsRefused) {
    const std::string bytes = encode(sample_host());
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        EXPECT_FALSE(decode<Host>(std::string_view(bytes).substr(0, size))) << size;
    }
}

TEST(Message, BytesLeftOverAreRefused) {
    EXPECT_FALSE(decode<Host>(encode(sample_host()) + "x"));
}

TEST(Message, AHugeCountAllocatesNothing) {
    const std::string bytes(
        "\xff\xff\xff\x7f"
        "abcdefg",
        11);
    EXPECT_FALSE(decode<std::string>(bytes));
    EXPECT_FALSE(decode<std::vector<std::string>>(bytes));
    using Settings = SshSettings;
    EXPECT_FALSE(decode<Settings>(bytes));
}

TEST(Message, AByteThatIsNoBoolIsRead) {
    const auto decoded = decode<bool>(std::string(1, '\x40'));
    ASSERT_TRUE(decoded);
    EXPECT_TRUE(*decoded);
}

}  // namespace
}  // namespace trellis
