// Each host's own directory and variables: the real shell over real agents, in virtual time; and what the
// hosts' shell is asked, over a cluster that is not there.
#include "tests/scenario/shell_fixture.hpp"
#include "tests/scenario/sim_shell.hpp"

#include <nlohmann/json.hpp>

namespace trellis {
namespace {

using testing::HasSubstr;

class Places4 : public testing::Test {
  protected:
    void SetUp() override {
        ASSERT_EQ(shell_.explore_all(), 0);
        shell_.said();
    }
    std::string printed_by(const std::string& line) {
        EXPECT_EQ(shell_.run(line).status, 0) << line << ": " << shell_.said();
        return shell_.printed();
    }

    SimShell shell_{sim::many_hosts(4)};
};

TEST_F(Places4, ADirectoryHoldsForTheHostsThatWereSelected) {
    printed_by("smask h[0-1]; cd /usr; rmask");
    EXPECT_EQ(printed_by("e -b pwd"), "---- h[0-1] (2)\n/usr\n---- h[2-3] (2)\n/home\n");
    printed_by("smask h0; cd /tmp; rmask");
    EXPECT_EQ(printed_by("e -b pwd"), "---- h[2-3] (2)\n/home\n---- h0\n/tmp\n---- h1\n/usr\n");
    printed_by("cd");
    EXPECT_EQ(printed_by("e -b pwd"), "---- h[0-3] (4)\n/home\n");
    printed_by("cd -");
    EXPECT_EQ(printed_by("e -b pwd"), "---- h[2-3] (2)\n/home\n---- h0\n/tmp\n---- h1\n/usr\n");
}

TEST_F(Places4, AHostWhereItFailsStaysWhereItWas) {
    printed_by("smask h[0-1]; cd /usr; rmask");
    EXPECT_EQ(shell_.run("cd /nowhere").status, 1);
    EXPECT_EQ(shell_.said(), "h[0-3]: exit 2: sh: cd: can't cd to /nowhere\n");
    EXPECT_EQ(printed_by("e -b pwd"), "---- h[0-1] (2)\n/usr\n---- h[2-3] (2)\n/home\n");
    EXPECT_EQ(shell_.run("cd -").status, 1);
    EXPECT_THAT(shell_.said(), HasSubstr("h[2-3]: exit 2: "));
    EXPECT_EQ(printed_by("e -b pwd"), "---- h[0-3] (4)\n/home\n");
    EXPECT_EQ(printed_by("smask; e -b pwd"), "---- h[0-3] (4)\n/home\n");
}

TEST_F(Places4, VariablesHoldForTheHostsThatWereSelected) {
    printed_by("export A=1; smask h[2-3]; export A=2 B='x y'; rmask");
    EXPECT_EQ(printed_by("e -b printenv A"), "---- h[0-1] (2)\n1\n---- h[2-3] (2)\n2\n");
    EXPECT_EQ(printed_by("export"), "h[0-1]: A=1\nh[2-3]: A=2\nh[2-3]: B=x y\n");
    const auto json = nlohmann::json::parse(printed_by("export --json"));
    ASSERT_EQ(json.size(), 3U);
    EXPECT_EQ(json[1].dump(), R"({"hosts":["h2","h3"],"name":"A","value":"2"})");
    printed_by("unset A; smask h0");
    EXPECT_EQ(printed_by("export"), "");
    EXPECT_EQ(shell_.run("unset B").status, 1);
    EXPECT_EQ(shell_.said(), "unset: export has not set B on these hosts\n");
}

class ShellPlaces : public ShellFixture {
  protected:
    // Answers with these bytes and keeps what it was asked.
    void answer(std::string text) {
        cluster.shell = [this, text = std::move(text)](const std::string&, const ExecRequest& request) {
            asked.push_back(request);
            return FakeAnswer{text, "", {}, std::nullopt};
        };
    }
    std::vector<ExecRequest> asked;
};

TEST_F(ShellPlaces, TheHostsShellReadsTheDirectoryAsItIsWritten) {
    run("explore a0");
    answer("/home/u\n/home/u/my dir\n");
    EXPECT_EQ(run("cd \"$HOME/my dir\"").status, 0);
    EXPECT_EQ(asked.back().command, "pwd; cd \"$HOME/my dir\" > /dev/null && pwd");
    EXPECT_EQ(seat.places.of("a0").directory, "/home/u/my dir");
    EXPECT_EQ(seat.places.of("a0").previous, "/home/u");
    run("cd ../x");
    EXPECT_EQ(asked.back().directory, "/home/u/my dir");
    run("cd -");
    EXPECT_EQ(asked.back().env.at("OLDPWD"), "/home/u/my dir");
    run("cd /x");  // also if the directory where it was is gone
    EXPECT_EQ(asked.back().directory, "");
    answer("/a\n/b\nc\n");
    EXPECT_EQ(run("cd /y").status, 1);
    EXPECT_THAT(err.take(), HasSubstr("a0: invalid: a line break in it"));
}

TEST_F(ShellPlaces, TheHostsShellReadsValuesThatItWouldChange) {
    run("explore a0; export A=1 B='x y'");
    answer(std::string("/opt:/bin\0x\0", 12));
    EXPECT_EQ(run("export PATH=/opt:$PATH C=\"x\"").status, 0);
    EXPECT_EQ(asked.back().command,
              "set -f; IFS=; export PATH=/opt:$PATH C=\"x\" && printf '%s\\0' \"$PATH\" \"$C\"");
    EXPECT_EQ(
        seat.places.of("a0").environment,
        (std::map<std::string, std::string>{{"A", "1"}, {"B", "x y"}, {"C", "x"}, {"PATH", "/opt:/bin"}}));
    answer("cut");
    EXPECT_EQ(run("export D=$X").status, 1);
    EXPECT_FALSE(seat.places.of("a0").environment.contains("D"));
}

TEST_F(ShellPlaces, HoldForWorkersAndJobsToo) {
    run("explore a[0-1]");
    answer("/home\n/tmp\n");
    run("cd tmp; export A=7");
    run("mw true -- work");
    EXPECT_EQ(asked.back().directory, "/tmp");
    EXPECT_EQ(asked.back().env.at("A"), "7");
    run("e job & unset A; wait");
    EXPECT_EQ(asked.back().command, "job");
    EXPECT_EQ(asked.back().directory, "/tmp");
}

TEST_F(ShellPlaces, WhatIsWrongIsSaid) {
    EXPECT_EQ(run("cd /x").status, 1);
    EXPECT_THAT(err.take(), HasSubstr("cd: no host is selected"));
    EXPECT_EQ(run("export A=1").status, 1);
    EXPECT_EQ(run("export 1A=2").status, 2);
    EXPECT_EQ(run("export A=1 =2").status, 2);
    EXPECT_EQ(run("export --json A=1").status, 2);
    EXPECT_EQ(run("export TRELLIS_NOT_SET_HERE").status, 2);
    EXPECT_EQ(run("unset A").status, 1);
}

}  // namespace
}  // namespace trellis
