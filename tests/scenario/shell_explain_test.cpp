// `explain`: what is told of logins, in the simulated world.
#include "tests/scenario/sim_shell.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace trellis {
namespace {

using ::testing::HasSubstr;
using Kind = sim::LoginBehaviour::Kind;

// Hosts b0, b1, ... behind the gateway gw.
lab::TopologyFile four_behind_gateway() {
    return sim::parse_lab(
        "switch wan\nswitch inside wan\nhost ctl wan 10.9.0.1\nhost gw wan 10.1.0.1\n"
        "hosts b%d 0 3 inside 10.2.0.1\n");
}

class ShellExplain : public testing::Test {
  protected:
    ShellExplain() {
        for (const char* host : {"b0", "b1", "b2", "b3"})
            shell.world().login(host).admits = [](const std::string& from) { return from == "gw"; };
        shell.run("use ssh here gw; use ssh gw b*");
    }
    std::string explain(const std::string& hosts) {
        EXPECT_EQ(shell.run("explain " + hosts).status, 0) << shell.said();
        return shell.printed();
    }
    SimShell shell{four_behind_gateway()};
};

TEST_F(ShellExplain, TellsThePathOfAHostThatWasReached) {
    EXPECT_EQ(shell.run("explore gw b[0-3]").status, 0) << shell.said();
    const std::string text = explain("b2");
    EXPECT_THAT(text, HasSubstr("b2: alive, here -> gw -> b2\n"));
    EXPECT_THAT(text, HasSubstr(" from gw by ssh, rule 'use ssh gw b*': ssh b2\n    reached in 0.2 s\n"));
    const auto json = nlohmann::json::parse(explain("b2 --json"));
    EXPECT_EQ(json["parent"], "gw");
    EXPECT_EQ(json["path"], (std::vector<std::string>{"here", "gw", "b2"}));
    ASSERT_EQ(json["attempts"].size(), 1U);
    EXPECT_EQ(json["attempts"][0]["outcome"], "succeeded");
    EXPECT_EQ(json["attempts"][0]["from"], "gw");
    EXPECT_EQ(json["attempts"][0]["rule"], "use ssh gw b*");
}

TEST_F(ShellExplain, TellsWhyAHostWasNotReached) {
    shell.world().login("b1").kind = Kind::refuses;
    shell.world().login("b1").cause = "authentication (tried publickey)";
    EXPECT_EQ(shell.run("explore gw b[0-1]").status, 1);
    EXPECT_THAT(shell.said(), HasSubstr("b1: refused: authentication (tried publickey)\n"));
    const std::string text = explain("");
    EXPECT_THAT(text, HasSubstr("b1: not reached: refused: authentication (tried publickey)\n"));
    EXPECT_THAT(text, HasSubstr("\n    refused: authentication (tried publickey) (after "));
    const auto json = nlohmann::json::parse(explain("b1 --json"));
    EXPECT_EQ(json["state"], "known");
    EXPECT_FALSE(json.contains("path"));
    EXPECT_EQ(json["attempts"][0]["detail"], "authentication (tried publickey)");
}

TEST_F(ShellExplain, KeepsTheLoginsOfEachExplore) {
    shell.world().login("b1").kind = Kind::unreachable;
    shell.run("explore gw b1");
    shell.world().login("b1").kind = Kind::works;
    EXPECT_EQ(shell.run("explore").status, 0) << shell.said();
    const auto json = nlohmann::json::parse(explain("b1 --json"));
    ASSERT_EQ(json["attempts"].size(), 2U);
    EXPECT_EQ(json["attempts"][0]["outcome"], "unreachable");
    EXPECT_EQ(json["attempts"][1]["outcome"], "succeeded");
}

TEST_F(ShellExplain, SaysWhereNoLoginWasTried) {
    EXPECT_EQ(shell.run("explore b0").status, 1);
    EXPECT_THAT(explain("b0"), HasSubstr("b0: not reached: unreachable: no host from which"));
}

TEST_F(ShellExplain, KnowsOnlyHostsThatAreKnown) {
    EXPECT_EQ(shell.run("explain nosuch").status, 1);
    EXPECT_EQ(shell.said(), "explain: no host is called nosuch\n");
    EXPECT_EQ(shell.run("explain").status, 0);
    EXPECT_EQ(shell.said(), "no known host is without an agent\n");
}

}  // namespace
}  // namespace trellis
