// Commands on all hosts: outputs, exit codes, time-outs, cancellation, slow readers.
#include "tests/sim/sim_session.hpp"

#include <csignal>

#include <gtest/gtest.h>

namespace trellis::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using State = Outcome::State;

class Exec : public testing::Test {
  protected:
    void SetUp() override { ASSERT_EQ(reached(explore(world_, numbered("h", 40))), 40u); }

    SimWorld world_{many_hosts(40)};
};

TEST_F(Exec, EveryHostAnswersForItself) {
    const auto run = exec(world_, "hostname");
    EXPECT_EQ(run.succeeded(), 40u);
    for (const auto& [name, report] : run.reports()) {
        EXPECT_EQ(report.out, name + "\n");
        EXPECT_LT(report.took, milliseconds(50));
    }
    EXPECT_EQ(world_.commands_running(), 0u);
}

TEST_F(Exec, StatusesOutputsDirectoryAndEnvironmentArePassedOn) {
    EXPECT_EQ(exec(world_, "exit 3").of("h7").outcome->state, State::exited);
    EXPECT_EQ(exec(world_, "exit 3").of("h7").outcome->code, 3);
    const auto unknown = exec(world_, "nosuch");
    EXPECT_EQ(unknown.of("h1").outcome->code, 127);
    EXPECT_EQ(unknown.of("h1").err, "sh: nosuch: not found\n");
    ExecOptions options;
    options.hosts = {"h5", "h6"};
    options.directory = "/data";
    options.env = {{"COLOUR", "blue"}};
    const auto run = exec(world_, "pwd; printenv COLOUR; err oops", options);
    ASSERT_EQ(run.reports().size(), 2u);
    EXPECT_EQ(run.of("h5").out, "/data\nblue\n");
    EXPECT_EQ(run.of("h6").err, "oops\n");
    options.directory = "/nowhere";
    EXPECT_EQ(exec(world_, "pwd", options).of("h5").outcome->kind, FailureKind::cannot_start);
}

TEST_F(Exec, TimeOutsEndWhatIsTooSlowAndKeepItsOutput) {
    ExecOptions options;
    options.timeout = seconds(2);
    const auto run = exec(world_, "echo begun; ignore INT TERM; sleep 60", options);
    for (const auto& [name, report] : run.reports()) {
        EXPECT_EQ(report.outcome->kind, FailureKind::timed_out) << name;
        EXPECT_EQ(report.out, "begun\n");
        EXPECT_LT(report.took, milliseconds(2100));
    }
    EXPECT_EQ(world_.commands_running(), 0u);
    EXPECT_EQ(exec(world_, "sleep 1", options).succeeded(), 40u);
}

TEST_F(Exec, AnInterruptIsASignalThatACommandMayIgnore) {
    ExecRun run(world_, "echo begun; sleep 60");
    world_.advance(seconds(1));
    run.cancel(CancelLevel::interrupt);
    run.finish();
    EXPECT_EQ(run.of("h9").outcome->state, State::signalled);
    EXPECT_EQ(run.of("h9").outcome->code, SIGINT);
    EXPECT_EQ(run.of("h9").out, "begun\n");

    ExecRun stubborn(world_, "ignore INT TERM; sleep 60");
    world_.advance(seconds(1));
    stubborn.cancel(CancelLevel::interrupt);
    stubborn.cancel(CancelLevel::terminate);
    world_.advance(seconds(1));
    EXPECT_FALSE(stubborn.ended());
    stubborn.cancel(CancelLevel::kill);
    world_.advance(seconds(1));
    EXPECT_TRUE(stubborn.ended());
    EXPECT_EQ(world_.commands_running(), 0u);
}

TEST_F(Exec, WhoGivesUpWaitingHasOutcomesAtOnce) {
    world_.stop("h4");
    ExecRun run(world_, "sleep 60");
    world_.advance(milliseconds(500));
    run.abandon();
    world_.advance(milliseconds(1));
    EXPECT_TRUE(run.ended());
    EXPECT_EQ(run.of("h4").outcome->kind, FailureKind::cancelled);
    world_.advance(seconds(1));
    EXPECT_EQ(world_.commands_running(), 0u);
    world_.resume("h4");
    EXPECT_EQ(exec(world_, "hostname").succeeded(), 40u);
}

TEST_F(Exec, ADestroyedOperationLeavesNoCommand) {
    {
        const auto request = OperationRequest{"exec", ids(world_), "", std::nullopt, false};
        auto nonsense = world_.root().operations().start(request);
        world_.advance(seconds(1));
    }
    ExecRun run(world_, "sleep 60");
    world_.advance(seconds(1));
    EXPECT_EQ(world_.commands_running(), 40u);
    run.abandon();
    world_.advance(seconds(1));
    EXPECT_EQ(world_.commands_running(), 0u);
}

TEST_F(Exec, ASlowReaderHoldsUpTheWritersInBoundedMemory) {
    ExecOptions options;
    options.reading = milliseconds(2);
    options.watch_memory = true;
    const std::size_t size = 4 << 20;
    const auto run = exec(world_, "yes 4194304", options);
    EXPECT_EQ(run.succeeded(), 40u);
    for (const auto& [name, report] : run.reports())
        EXPECT_EQ(report.out.size(), size) << name;
    EXPECT_LT(run.most_held(), 40u * (512u << 10));
}

TEST_F(Exec, ControlOvertakesTheBulkOfOthers) {
    ExecOptions noisy;
    noisy.reading = milliseconds(1);
    ExecRun flood(world_, "yes 100000000", noisy);
    world_.advance(seconds(2));
    EXPECT_FALSE(flood.ended());
    const auto run = exec(world_, "hostname");
    EXPECT_EQ(run.succeeded(), 40u);
    for (const auto& [name, report] : run.reports())
        EXPECT_LT(report.took, seconds(2)) << name;
    flood.cancel(CancelLevel::kill);
    flood.finish();
    EXPECT_EQ(world_.commands_running(), 0u);
}

TEST_F(Exec, WhatIsLeftInTheBackgroundIsKilled) {
    const auto run = exec(world_, "leave 60; echo done");
    EXPECT_EQ(run.of("h1").out, "done\n");
    EXPECT_LT(run.of("h1").took, seconds(1));
    EXPECT_EQ(world_.commands_running(), 0u);
}

TEST(ExecOverLossyLinks, LosesAndDoublesNothing) {
    SimWorld world(many_hosts(10));
    ASSERT_EQ(reached(explore(world, numbered("h", 10))), 10u);
    world.network().set_loss("s0", 0.01);
    const auto run = exec(world, "yes 1000000; echo end");
    EXPECT_EQ(run.succeeded(), 10u);
    for (const auto& [name, report] : run.reports()) {
        EXPECT_EQ(report.out.size(), 1000004u) << name;
        EXPECT_TRUE(report.out.ends_with("y\nend\n")) << name;
    }
}

}  // namespace
}  // namespace trellis::sim
