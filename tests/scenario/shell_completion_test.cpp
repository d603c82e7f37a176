// What the tab key offers.
#include "shell/completion.hpp"
#include "shell/shell_context.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trellis {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class ShellCompletion : public testing::Test {
  protected:
    Completion at(std::string_view line) {
        return complete(line, {table, {"a00", "a01", "b00"}, {"hosts", "topology"}});
    }
    std::vector<CommandEntry> table = builtin_commands();
};

TEST_F(ShellCompletion, OffersCommands) {
    EXPECT_THAT(at("ex").candidates, ElementsAre("exit", "explore", "export"));
    EXPECT_THAT(at("hosts; sm").candidates, ElementsAre("smask"));
    EXPECT_THAT(at("help to").candidates, ElementsAre("topics", "topology"));
}

TEST_F(ShellCompletion, OffersOptions) {
    EXPECT_THAT(at("e --").candidates,
                ElementsAre("--diff", "--fold", "--help", "--json", "--output", "--raw", "--timeout"));
    EXPECT_THAT(at("e hostname --").candidates, IsEmpty());
    EXPECT_THAT(at("topology compare --s").candidates, ElementsAre("--seed"));
}

TEST_F(ShellCompletion, OffersHostsTopicsAndFiles) {
    EXPECT_THAT(at("smask a").candidates, ElementsAre("a00", "a01"));
    EXPECT_THAT(at("smask a00 b").candidates, ElementsAre("b00"));
    EXPECT_THAT(at("explore --timeout 3s a").candidates, ElementsAre("a00", "a01"));
    EXPECT_THAT(at("explore --timeout ").candidates, IsEmpty());
    EXPECT_THAT(at("show ").candidates, ElementsAre("hosts", "topology"));
    EXPECT_THAT(at("topology ").candidates, ElementsAre("compare", "draw"));
    EXPECT_TRUE(at("load ").files);
    EXPECT_TRUE(at("save f ").candidates.size() == 2);
    EXPECT_TRUE(at("hosts > ").files);
    EXPECT_TRUE(at("hosts | so").files);
    EXPECT_TRUE(at("!cat ").files);
    EXPECT_TRUE(at("topology compare x").files);
}

TEST_F(ShellCompletion, OffersNothingForWhatItDoesNotKnow) {
    EXPECT_THAT(at("zzz a").candidates, IsEmpty());
    EXPECT_THAT(at("e host").candidates, IsEmpty());
}

}  // namespace
}  // namespace trellis
