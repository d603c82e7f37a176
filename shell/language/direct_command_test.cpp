#include "shell/language/direct_command.hpp"

#include "shell/language/command_line.hpp"
#include "shell/running/shell_context.hpp"

#include <gtest/gtest.h>

namespace trellis {
namespace {

std::string line_of(const std::vector<std::string>& words) {
    return direct_line(words, builtin_commands());
}

TEST(DirectCommand, KnowsCommandsByTheirFirstWord) {
    EXPECT_TRUE(names_command({"e", "x"}, builtin_commands()));
    EXPECT_FALSE(names_command({"batch.trl"}, builtin_commands()));
    EXPECT_FALSE(names_command({}, builtin_commands()));
}

TEST(DirectCommand, KeepsEachArgumentOneWord) {
    EXPECT_EQ(line_of({"explore", "a[00-15]", "b"}), "explore a[00-15] b");
    EXPECT_EQ(line_of({"smask", "a*", "&", "@ok"}), "smask a* '&' @ok");
    EXPECT_EQ(line_of({"save", "it's here"}), "save 'it'\\''s here'");
    EXPECT_EQ(line_of({"smask", ""}), "smask ''");
}

TEST(DirectCommand, JoinsWhatTheHostsShellReads) {
    EXPECT_EQ(line_of({"e", "hostname"}), "e hostname");
    EXPECT_EQ(line_of({"e", "-b", "uname", "-r"}), "e -b 'uname -r'");
    EXPECT_EQ(line_of({"mw", "--up", "3", "cat", "-n", "--", "uname", "-r"}),
              "mw --up 3 'cat -n' -- 'uname -r'");
    EXPECT_EQ(line_of({"e", "--timeout", "3s", "ls | wc -l"}), "e --timeout 3s 'ls | wc -l'");
    EXPECT_EQ(line_of({"e", "--", "echo", "$HOME"}), "e -- 'echo $HOME'");
}

// What a statement sends to the hosts is what was given, whatever it holds.
TEST(DirectCommand, SendsTheCommandAsItWasGiven) {
    for (const std::string command : {"echo 'a  b'; date", "it's", "# no comment", "a\nb", "\\", "$(x)"}) {
        const auto statements = parse_command_line(line_of({"e", command}));
        ASSERT_TRUE(statements) << command;
        ASSERT_EQ(statements->size(), 1U) << command;
        EXPECT_EQ(statements->front().words.back().text, command);
    }
}

}  // namespace
}  // namespace trellis
