// What the tab key offers.
#include "trellis/plugin.hpp"

#include "shell/running/shell_context.hpp"
#include "shell/terminal/completion.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trellis {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class ShellCompletion : public testing::Test {
  protected:
    Completion at(std::string_view line) {
        return complete(line,
                        {table, {"a00", "a01", "b00"}, {"hosts", "topology"}, {"fast"}, {"PATH", "PS1"}});
    }
    std::vector<CommandEntry> table = builtin_commands();
};

TEST_F(ShellCompletion, OffersCommands) {
    EXPECT_THAT(at("ex").candidates, ElementsAre("exit", "explain", "explore", "export"));
    EXPECT_THAT(at("hosts; sm").candidates, ElementsAre("smask"));
    EXPECT_THAT(at("help to").candidates, ElementsAre("topics", "topology"));
}

TEST_F(ShellCompletion, OffersOptions) {
    EXPECT_THAT(at("e --").candidates,
                ElementsAre("--diff", "--down", "--fold", "--help", "--input", "--json", "--on", "--output",
                            "--pty", "--ranks", "--raw", "--timeout", "--up"));
    EXPECT_THAT(at("e hostname --").candidates, IsEmpty());
    EXPECT_THAT(at("topology compare --s").candidates, ElementsAre("--seed"));
}

TEST_F(ShellCompletion, OffersHostsTopicsAndFiles) {
    EXPECT_THAT(at("smask a").candidates, ElementsAre("a00", "a01"));
    EXPECT_THAT(at("smask a00 b").candidates, ElementsAre("b00"));
    EXPECT_THAT(at("explore --timeout 3s a").candidates, ElementsAre("a00", "a01"));
    EXPECT_THAT(at("explore --timeout ").candidates, IsEmpty());
    EXPECT_THAT(at("show ").candidates, ElementsAre("hosts", "topology"));
    EXPECT_THAT(at("topology ").candidates, ElementsAre("compare", "draw", "view"));
    EXPECT_TRUE(at("load ").files);
    EXPECT_TRUE(at("save f ").candidates.size() == 2);
    EXPECT_TRUE(at("hosts > ").files);
    EXPECT_TRUE(at("hosts | so").files);
    EXPECT_TRUE(at("!cat ").files);
    EXPECT_TRUE(at("topology compare x").files);
}

TEST_F(ShellCompletion, OffersFilesToPlugins) {
    table = plugin_commands();
    EXPECT_TRUE(at("infer --rtt ").files);
    EXPECT_FALSE(at("infer --seed ").files);
}

TEST_F(ShellCompletion, OffersTheWordsThatAnOptionTakes) {
    table = plugin_commands();
    EXPECT_THAT(at("bcast --order ra").candidates, ElementsAre("random", "ranks"));
    EXPECT_TRUE(at("bcast --order ./").files);
    EXPECT_THAT(at("rankmap --cost ").candidates, ElementsAre("bandwidth", "delay", "links"));
    EXPECT_THAT(at("rankmap --np ").candidates, IsEmpty());
}

TEST_F(ShellCompletion, OffersGroupsAndMasks) {
    EXPECT_THAT(at("smask @f").candidates, ElementsAre("@failed", "@fast"));
    EXPECT_THAT(at("restoremask ").candidates, ElementsAre("fast"));
}

TEST_F(ShellCompletion, OffersVariablesAndTheHostsOfOneCommand) {
    EXPECT_THAT(at("unset PA").candidates, ElementsAre("PATH"));
    EXPECT_THAT(at("e --on b").candidates, ElementsAre("b00"));
    EXPECT_THAT(at("mw --on @fa").candidates, ElementsAre("@failed", "@fast"));
}

TEST_F(ShellCompletion, OffersWordsOfLoginRules) {
    EXPECT_THAT(at("use s").candidates, ElementsAre("ssh", "ssh-program"));
    EXPECT_THAT(at("use ssh h").candidates, ElementsAre("here"));
    EXPECT_THAT(at("use ssh here b").candidates, ElementsAre("b00"));
}

TEST_F(ShellCompletion, OffersNothingForWhatItDoesNotKnow) {
    EXPECT_THAT(at("zzz a").candidates, IsEmpty());
    EXPECT_THAT(at("e host").candidates, IsEmpty());
}

}  // namespace
}  // namespace trellis
