// Jobs of the shell over simulated hosts: the background, Ctrl-Z, signals, and the end of a session under
// them.
#include "tests/scenario/sim_shell.hpp"

#include <chrono>
#include <string>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace trellis {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class ShellJobs : public testing::Test {
  protected:
    void SetUp() override {
        EXPECT_EQ(shell.explore_all(), 0);
        shell.said();
    }
    LineResult run(const std::string& line) {
        const TimePoint before = world.time().now();
        const LineResult result = shell.run(line);
        took = world.time().now() - before;
        return result;
    }
    // The jobs as `jobs` lists them.
    std::string jobs() {
        shell.printed();
        run("jobs");
        return shell.printed();
    }
    // How many hosts have printed the line.
    static std::size_t hosts_in(const std::string& text, const std::string& line) {
        std::size_t count = 0;
        for (std::size_t at = 0; (at = text.find(": " + line + "\n", at)) != std::string::npos; ++at)
            ++count;
        return count;
    }
    std::size_t printed(const std::string& line) { return hosts_in(shell.printed(), line); }
    void end_all() { world.run(shell.jobs().end_all()); }

    SimShell shell{sim::read_lab("two_switches_8")};
    sim::SimWorld& world = shell.world();
    Duration took{};
};

TEST_F(ShellJobs, ACommandRunsInTheBackground) {
    EXPECT_EQ(run("e 'sleep 10; echo late' &").status, 0);
    EXPECT_LT(took, milliseconds(10));
    EXPECT_EQ(run("e echo soon").status, 0);
    EXPECT_EQ(printed("soon"), 8U);
    EXPECT_EQ(jobs(), "[1] running (8 of 8 hosts)  e 'sleep 10; echo late'\n");
    EXPECT_THAT(shell.jobs().take_news(), ElementsAre("[1] running (8 of 8 hosts)  e 'sleep 10; echo late'"));
    EXPECT_THAT(shell.jobs().take_news(), IsEmpty());
    world.advance(seconds(11));
    EXPECT_EQ(printed("late"), 8U);
    EXPECT_THAT(shell.jobs().take_news(), ElementsAre("[1] done (8 of 8 hosts)  e 'sleep 10; echo late'"));
    EXPECT_EQ(jobs(), "");
    EXPECT_EQ(shell.said(), "");
}

TEST_F(ShellJobs, ItsOutcomesComeWithWait) {
    run("e exit 3 & e sleep 20 &");
    run("e hostname");
    world.advance(seconds(1));
    EXPECT_EQ(shell.seat().counts().succeeded, 8U);
    EXPECT_THAT(jobs(), HasSubstr("[1] done (0 of 8 hosts)  e exit 3\n[2] running"));
    EXPECT_EQ(run("wait %1").status, 1);
    EXPECT_EQ(shell.seat().counts().succeeded, 0U);
    EXPECT_EQ(run("wait").status, 0);
    EXPECT_GT(took, seconds(18));
    EXPECT_EQ(shell.seat().counts().succeeded, 8U);
    EXPECT_EQ(run("wait").status, 0);
    EXPECT_EQ(run("wait %1").status, 127);
    EXPECT_THAT(shell.said(), HasSubstr("wait: there are no jobs"));
}

TEST_F(ShellJobs, OutputOfAJobIsSearchedAfterWait) {
    run("e echo one");
    run("e hostname &");
    world.advance(seconds(1));
    EXPECT_EQ(run("smask --where 'stdout ~ ^a0'").status, 1);
    run("wait");
    EXPECT_EQ(run("smask --where 'stdout ~ ^a0'").status, 0);
    EXPECT_EQ(shell.seat().counts().selected, 4U);
}

TEST_F(ShellJobs, TheSelectionIsThatOfTheMoment) {
    run("e echo all & smask a*; e echo some");
    world.advance(seconds(1));
    const std::string text = shell.printed();
    EXPECT_EQ(hosts_in(text, "all"), 8U);
    EXPECT_EQ(hosts_in(text, "some"), 4U);
}

TEST_F(ShellJobs, AListRunsInTheBackgroundAsAWhole) {
    run("e sleep 1 && e echo after || e echo never &");
    EXPECT_THAT(jobs(), HasSubstr("  e sleep 1 && e echo after || e echo never\n"));
    world.advance(seconds(2));
    const std::string text = shell.printed();
    EXPECT_EQ(hosts_in(text, "after"), 8U);
    EXPECT_EQ(hosts_in(text, "never"), 0U);
}

TEST_F(ShellJobs, CtrlCIsForTheForegroundAlone) {
    run("e sleep 50 &");
    shell.press_after(seconds(1));
    EXPECT_TRUE(run("e sleep 20; e hostname").interrupted);
    EXPECT_LT(took, seconds(2));
    EXPECT_THAT(shell.said(), HasSubstr("signal 2 (Interrupt)"));
    EXPECT_THAT(jobs(), HasSubstr("[1] running (8 of 8 hosts)"));
    shell.press_after(seconds(1));
    EXPECT_EQ(run("wait").status, 130);
    EXPECT_THAT(jobs(), HasSubstr("[1] running (8 of 8 hosts)"));
    EXPECT_EQ(world.commands_running(), 8U);
}

TEST_F(ShellJobs, CtrlZSuspendsAndFgContinues) {
    shell.suspend_after(seconds(1));
    const LineResult result = run("e 'echo begun; sleep 5; echo ended'; e hostname");
    EXPECT_EQ(result.status, 148);
    EXPECT_TRUE(result.interrupted);
    EXPECT_LT(took, milliseconds(1100));
    EXPECT_EQ(printed("begun"), 8U);
    world.advance(seconds(20));
    EXPECT_EQ(shell.printed(), "");
    EXPECT_THAT(shell.jobs().take_news(),
                ElementsAre("[1] suspended (8 of 8 hosts)  e 'echo begun; sleep 5; echo ended'"));
    EXPECT_EQ(run("fg").status, 0);
    EXPECT_EQ(shell.said(), "e 'echo begun; sleep 5; echo ended'\n");
    EXPECT_EQ(printed("ended"), 8U);
    EXPECT_EQ(shell.seat().counts().succeeded, 8U);
    EXPECT_EQ(jobs(), "");
}

TEST_F(ShellJobs, AJobCanBeSuspendedAgainAndGoOnInTheBackground) {
    run("e 'sleep 5; echo ended' &");
    shell.suspend_after(seconds(1));
    EXPECT_EQ(run("fg %1 && e hostname").status, 148);
    EXPECT_EQ(jobs(), "[1] suspended (8 of 8 hosts)  e 'sleep 5; echo ended'\n");
    EXPECT_EQ(run("wait").status, 148);
    EXPECT_EQ(run("bg").status, 0);
    EXPECT_EQ(run("bg").status, 1);
    EXPECT_THAT(shell.said(), HasSubstr("bg: not suspended: [1] running (8 of 8 hosts)"));
    world.advance(seconds(6));
    EXPECT_EQ(printed("ended"), 8U);
}

TEST_F(ShellJobs, CtrlCEndsAJobInTheForegroundAgain) {
    run("e sleep 50 &");
    shell.press_after(seconds(1));
    EXPECT_TRUE(run("fg").interrupted);
    EXPECT_EQ(world.commands_running(), 0U);
    EXPECT_EQ(shell.seat().counts().succeeded, 0U);
    EXPECT_EQ(jobs(), "");
}

TEST_F(ShellJobs, KillEndsWhatHeedsIt) {
    run("e sleep 50 & e 'ignore TERM; sleep 50' & e sleep 50 &");
    world.advance(seconds(1));
    EXPECT_EQ(run("kill %1; wait %1").status, 1);
    EXPECT_LT(took, seconds(1));
    EXPECT_THAT(shell.said(), HasSubstr("signal 15 (Terminated)"));
    EXPECT_EQ(run("kill %2; wait %2").status, 1);
    EXPECT_GT(took, seconds(2));
    EXPECT_LT(took, seconds(4));
    EXPECT_EQ(run("kill -USR1 %3; wait %3").status, 1);
    EXPECT_THAT(shell.said(), HasSubstr("signal 10 (User defined signal 1)"));
    EXPECT_EQ(world.commands_running(), 0U);
    EXPECT_EQ(run("e sleep 50 & kill -9 %1 && wait").status, 1);
    EXPECT_EQ(world.commands_running(), 0U);
}

TEST_F(ShellJobs, KillReachesWhatIsSuspended) {
    shell.suspend_after(seconds(1));
    run("e sleep 50");
    EXPECT_EQ(run("kill %1; wait %1").status, 1);
    EXPECT_LT(took, seconds(1));
    run("e 'sleep 5; echo ended' &");
    EXPECT_EQ(run("kill -STOP %1").status, 0);
    world.advance(seconds(10));
    EXPECT_THAT(jobs(), HasSubstr("[1] suspended"));
    EXPECT_EQ(run("kill -SIGCONT %1; wait").status, 0);
    EXPECT_EQ(printed("ended"), 8U);
}

TEST_F(ShellJobs, KillSaysWhatIsWrong) {
    EXPECT_EQ(run("kill").status, 2);
    EXPECT_EQ(run("kill %1").status, 1);
    run("e sleep 50 &");
    EXPECT_EQ(run("kill -NONE %1").status, 2);
    EXPECT_EQ(run("kill %7").status, 1);
    EXPECT_EQ(run("kill x").status, 1);
    EXPECT_EQ(shell.said(),
              "kill: expected a job, like %1\nkill: there are no jobs\nkill: expected a signal, not -NONE\n"
              "kill: no job has the number 7 (see jobs)\n"
              "kill: expected the number of a job, like %1, not 'x'\n");
}

TEST_F(ShellJobs, SomeCommandsBelongToTheForeground) {
    run("wait & fg & quit & smask a* &");
    world.advance(seconds(1));
    const std::string said = shell.said();
    for (const char* command : {"wait", "fg", "quit", "smask"})
        EXPECT_THAT(said, HasSubstr(std::string(command) + ": cannot run in the background"));
    EXPECT_EQ(shell.seat().counts().selected, 8U);
    EXPECT_THAT(shell.jobs().take_news(), testing::Contains("[1] failed (status 1)  wait"));
}

TEST_F(ShellJobs, WhatCannotBeSuspendedGoesOnInTheBackground) {
    shell.suspend_after(milliseconds(5));
    EXPECT_EQ(run("infer").status, 148);
    EXPECT_THAT(jobs(), HasSubstr("[1] running"));
    EXPECT_EQ(run("kill -STOP %1").status, 1);
    EXPECT_THAT(shell.said(), HasSubstr("kill: only HUP, INT, TERM and KILL can be sent to [1] running"));
    EXPECT_EQ(run("wait").status, 0);
    EXPECT_TRUE(shell.topology());
    run("infer &");
    world.advance(milliseconds(5));
    EXPECT_EQ(run("kill %1; wait").status, 143);
}

TEST_F(ShellJobs, TheListIsGivenAsJson) {
    run("e sleep 1 & e sleep 50 &");
    world.advance(seconds(2));
    shell.printed();
    run("jobs --json");
    const auto list = nlohmann::json::parse(shell.printed());
    ASSERT_EQ(list.size(), 2U);
    EXPECT_EQ(list[0]["state"], "done");
    EXPECT_EQ(list[0]["succeeded"], 8);
    EXPECT_EQ(list[1]["job"], 2);
    EXPECT_EQ(list[1]["running"], 8);
    EXPECT_EQ(list[1]["command"], "e sleep 50");
}

TEST_F(ShellJobs, NothingIsLeftRunningAtTheEnd) {
    shell.suspend_after(seconds(1));
    run("e sleep 50");
    run("e 'ignore INT TERM; sleep 50' & e sleep 1 & infer &");
    world.advance(milliseconds(1100));
    const TimePoint before = world.time().now();
    end_all();
    EXPECT_LT(world.time().now() - before, seconds(5));
    world.advance(seconds(1));
    EXPECT_EQ(world.commands_running(), 0U);
    EXPECT_THAT(shell.said(),
                HasSubstr("ending [1] suspended (8 of 8 hosts)  e sleep 50\n"
                          "ending [2] running (8 of 8 hosts)  e 'ignore INT TERM; sleep 50'\n"));
    EXPECT_EQ(jobs(), "");
}

TEST_F(ShellJobs, AHostThatIsLostEndsItsPartOfAJob) {
    run("e sleep 20 &");
    world.advance(seconds(1));
    world.kill("a01");
    world.advance(seconds(1));
    EXPECT_EQ(jobs(), "[1] running (7 of 8 hosts)  e sleep 20\n");
    EXPECT_EQ(run("wait").status, 1);
    EXPECT_EQ(shell.seat().counts().succeeded, 7U);
}

}  // namespace
}  // namespace trellis
