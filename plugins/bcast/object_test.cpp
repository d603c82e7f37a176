#include "plugins/bcast/object.hpp"

#include <gtest/gtest.h>

namespace trellis::plugins::bcast {
namespace {

TEST(LastName, IsWhatAPathNamesInItsDirectory) {
    EXPECT_EQ(last_name("/tmp/a"), "a");
    EXPECT_EQ(last_name("a//"), "a");
    EXPECT_EQ(last_name(".ssh"), ".ssh");
    EXPECT_EQ(last_name("~/a"), "a");
    for (const char* path : {"", "/", ".", "..", "a/..", "../", "//", "~", "~/"})
        EXPECT_EQ(last_name(path), "") << path;
}

TEST(IsName, LeadsNowhereElse) {
    EXPECT_TRUE(is_name("a b"));
    EXPECT_TRUE(is_name("..."));
    for (const std::string_view text : {"", ".", "..", "../a", "a/b", "/a"})
        EXPECT_FALSE(is_name(text)) << text;
    EXPECT_FALSE(is_name(std::string_view("a\0b", 3)));
}

}  // namespace
}  // namespace trellis::plugins::bcast
