// Hosts that die, hang, fall silent or misbehave during a command: what is said of them, when, and that the
// others are not disturbed.
#include "tests/sim/sim_session.hpp"

#include <gtest/gtest.h>

namespace trellis::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// The root, the gateway g, and w0 to w5 below it (on a link of their own); f0 to f5 directly below the root.
class Fault : public testing::Test {
  protected:
    Fault()
        : world_(parse_lab("switch core\nswitch edge core delay=100us rate=1gbit\nhost ctl core 10.9.0.1\n"
                           "host g core 10.8.0.1 delay=25us\n"
                           "hosts w%d 0 5 edge 10.1.0.1 delay=25us rate=1gbit\n"
                           "hosts f%d 0 5 core 10.2.0.1 delay=25us rate=1gbit\n")) {
        world_.root().on_change([this](const Member& member) {
            changes_.push_back(member.host.name + " " + state_name(member.state));
        });
    }
    void SetUp() override {
        auto hosts = numbered("w", 6);
        for (const auto& name : numbered("f", 6))
            hosts.push_back(name);
        hosts.push_back("g");
        const auto rule = [](const std::string& from, const std::string& to) -> std::optional<Route> {
            if ((to.front() == 'w' ? "g" : "root") != from) return std::nullopt;
            return Route{};
        };
        ASSERT_EQ(reached(explore(world_, explore_request(hosts, rule))), 13u);
    }
    static ExecOptions on(std::vector<std::string> hosts) {
        ExecOptions options;
        options.hosts = std::move(hosts);
        return options;
    }
    static std::string state_name(MemberState state) {
        if (state == MemberState::alive) return "alive";
        return state == MemberState::suspect ? "suspect" : "lost";
    }
    void expect_lost(const ExecRun& run, const std::string& host, Duration before) const {
        ASSERT_TRUE(run.has_outcome(host)) << host;
        EXPECT_EQ(run.of(host).outcome->kind, FailureKind::lost) << host;
        EXPECT_LT(run.of(host).took, before) << host;
    }
    [[nodiscard]] long changes(const std::string& what) const { return std::ranges::count(changes_, what); }

    SimWorld world_;
    std::vector<std::string> changes_;
};

TEST_F(Fault, AKilledAgentIsLostSoonAndItsCommandsAreGone) {
    ExecRun run(world_, "echo begun; sleep 5; echo end");
    world_.advance(seconds(1));
    world_.kill("w3");
    world_.advance(seconds(1));
    expect_lost(run, "w3", seconds(2));
    EXPECT_EQ(run.of("w3").out, "begun\n");
    EXPECT_EQ(world_.commands_running(), 12u);
    run.finish();
    EXPECT_EQ(run.succeeded(), 12u);
    EXPECT_EQ(run.of("w2").out, "begun\nend\n");
    EXPECT_EQ(changes_, (std::vector<std::string>{"w3 suspect", "w3 lost"}));
}

TEST_F(Fault, WhatOnlyALostAgentReachesIsLostAfterTheGraceOfOrphans) {
    ExecRun run(world_, "echo begun; sleep 30; echo end");
    world_.advance(seconds(1));
    world_.kill("g");
    world_.advance(seconds(1));
    expect_lost(run, "g", seconds(2));
    EXPECT_EQ(world_.commands_running(), 12u);
    world_.advance(seconds(16));
    for (const auto& host : numbered("w", 6))
        expect_lost(run, host, seconds(18));
    EXPECT_EQ(world_.agents_running(), 6u);
    EXPECT_EQ(world_.commands_running(), 6u);
    run.finish();
    EXPECT_EQ(run.succeeded(), 6u);
}

TEST_F(Fault, AnotherAgentOnALostGatewayAdoptsWhatIsBehindIt) {
    ExecRun run(world_, "echo begun; sleep 30; echo end");
    world_.advance(seconds(1));
    world_.kill("g");
    world_.advance(seconds(2));
    EXPECT_EQ(reached(explore(world_, {"g"})), 1u);
    run.finish();
    EXPECT_EQ(run.succeeded(), 12u);
    for (const auto& host : numbered("w", 6))
        EXPECT_EQ(run.of(host).out, "begun\nend\n") << host;
}

TEST_F(Fault, ASilentCutMakesSuspectAndHealingResumesWithoutLoss) {
    ExecRun run(world_, "yes 1000000; sleep 8; echo end");
    ExecRun others(world_, "sleep 4; echo end", on(numbered("f", 6)));
    world_.advance(milliseconds(1));
    world_.cut("edge", Cut::silent);
    world_.advance(milliseconds(2900));
    EXPECT_EQ(changes("w0 suspect"), 0);
    world_.advance(seconds(2));
    EXPECT_EQ(changes("w0 suspect"), 1);
    EXPECT_EQ(run.of("w0").suspected, 1);
    EXPECT_EQ(changes("g suspect"), 0);
    EXPECT_TRUE(others.ended());
    EXPECT_EQ(others.succeeded(), 6u);
    world_.heal("edge");
    run.finish();
    EXPECT_EQ(run.succeeded(), 13u);
    for (const auto& host : numbered("w", 6)) {
        EXPECT_EQ(run.of(host).out.size(), 1000004u) << host;
        EXPECT_EQ(run.of(host).resumed, 1) << host;
    }
    EXPECT_EQ(changes("w0 alive"), 1);
    EXPECT_EQ(changes("w0 lost"), 0);
}

TEST_F(Fault, ASilentCutThatLastsMakesLostAfterTheLeaseAndTheOthersGoOn) {
    ExecRun run(world_, "sleep 20; echo end");
    world_.advance(seconds(1));
    world_.cut("edge", Cut::silent);
    run.finish();
    EXPECT_EQ(run.succeeded(), 7u);
    for (const auto& host : numbered("w", 6)) {
        expect_lost(run, host, seconds(34));
        EXPECT_GT(run.of(host).took, seconds(29));
    }
    EXPECT_LT(run.of("f1").took, milliseconds(20100));
    EXPECT_LT(run.of("g").took, milliseconds(20100));
    world_.advance(seconds(10));  // the cut-off agents notice by themselves
    EXPECT_EQ(world_.agents_running(), 7u);
    EXPECT_EQ(world_.commands_running(), 0u);
}

TEST_F(Fault, ACrashedMachineIsLostAfterTheLease) {
    ExecRun run(world_, "sleep 3");
    world_.advance(seconds(1));
    world_.crash("f2");
    run.finish();
    expect_lost(run, "f2", seconds(34));
    EXPECT_EQ(run.of("f2").suspected, 1);
    EXPECT_EQ(run.succeeded(), 12u);
}

TEST_F(Fault, AVisibleCutThatLastsIsALossAfterTheGraceOfOrphans) {
    ExecRun run(world_, "sleep 3");
    world_.advance(seconds(1));
    world_.cut("edge", Cut::visible);
    run.finish();
    for (const auto& host : numbered("w", 6))
        expect_lost(run, host, seconds(18));
    EXPECT_EQ(run.succeeded(), 7u);
    world_.advance(seconds(1));
    EXPECT_EQ(world_.agents_running(), 7u);
}

TEST_F(Fault, AVisibleCutThatHealsLosesNothing) {
    ExecRun run(world_, "yes 1000000; sleep 3; yes 1000000; echo end");
    world_.advance(milliseconds(1));
    world_.cut("edge", Cut::visible);
    world_.advance(seconds(8));
    world_.heal("edge");
    run.finish();
    EXPECT_EQ(run.succeeded(), 13u);
    for (const auto& host : numbered("w", 6)) {
        EXPECT_EQ(run.of(host).out.size(), 2000004u) << host;
        EXPECT_EQ(run.of(host).resumed, 1) << host;
    }
    EXPECT_EQ(changes("w0 lost"), 0);
}

TEST_F(Fault, TheHostsBelowAStoppedAgentAreLedRoundItIfAnybodyElseReachesThem) {
    ExploreRequest request = explore_request({}, everywhere());
    EXPECT_TRUE(explore(world_, request).empty());
    ExecRun run(world_, "sleep 28; echo end");
    world_.advance(seconds(1));
    world_.stop("g");
    run.finish();
    EXPECT_EQ(run.of("w1").out, "end\n");
    expect_lost(run, "g", seconds(34));
    EXPECT_EQ(run.succeeded(), 12u);
}

TEST_F(Fault, AStoppedProcessIsSuspectAndResumes) {
    ExecRun run(world_, "sleep 2; echo end");
    world_.advance(seconds(1));
    world_.stop("w1");
    world_.advance(seconds(10));
    EXPECT_FALSE(run.ended());
    EXPECT_EQ(run.succeeded(), 12u);
    EXPECT_EQ(run.of("w1").suspected, 1);
    world_.resume("w1");
    run.finish();
    EXPECT_EQ(run.of("w1").out, "end\n");
    EXPECT_EQ(run.of("w1").resumed, 1);
    EXPECT_EQ(run.succeeded(), 13u);
}

TEST_F(Fault, AStoppedInnerAgentMakesItsSubtreeSuspect) {
    ExecRun run(world_, "sleep 2; echo end");
    world_.advance(seconds(1));
    world_.stop("g");
    world_.advance(seconds(10));
    EXPECT_EQ(run.succeeded(), 6u);
    EXPECT_EQ(run.of("w1").suspected, 1);
    world_.resume("g");
    run.finish();
    EXPECT_EQ(run.succeeded(), 13u);
    EXPECT_EQ(run.of("w1").resumed, 1);
}

TEST_F(Fault, MalformedBytesFromBelowCloseThatLinkAlone) {
    ExecRun run(world_, "sleep 3");
    world_.advance(seconds(1));
    world_.inject("w4", std::string(28, '\xff'));
    world_.advance(milliseconds(100));
    expect_lost(run, "w4", milliseconds(1100));
    EXPECT_EQ(world_.agents_running(), 12u);
    run.finish();
    EXPECT_EQ(run.succeeded(), 12u);
    EXPECT_EQ(changes_, std::vector<std::string>{"w4 lost"});
}

TEST_F(Fault, AFrameFromBelowMustOriginateThere) {
    ExecRun run(world_, "sleep 3");
    world_.advance(seconds(1));
    Frame forged;
    forged.type = FrameType::done;
    forged.source = ids(world_, {"f0"}).front();
    forged.destination = root_id;
    forged.operation = OperationId{1};
    world_.inject("w5", forged);
    world_.advance(milliseconds(100));
    EXPECT_FALSE(run.has_outcome("f0"));
    run.finish();
    EXPECT_EQ(run.succeeded(), 13u);
    EXPECT_TRUE(changes_.empty());
}

TEST_F(Fault, CommandsFromBelowAreRefused) {
    for (const FrameType type : {FrameType::start, FrameType::cancel, FrameType::bye, FrameType::welcome}) {
        const std::string host = "f" + std::to_string(static_cast<int>(type) % 6);
        if (!world_.machines().agent(host).alive()) continue;
        Frame forged;
        forged.type = type;
        forged.source = ids(world_, {host}).front();
        forged.destination = ids(world_, {"w0"}).front();
        world_.inject(host, forged);
        world_.advance(milliseconds(100));
        EXPECT_EQ(changes(host + " lost"), 1) << host;
    }
    EXPECT_EQ(exec(world_, "hostname", on({"w0"})).succeeded(), 1u);
}

TEST_F(Fault, NewsOfHostsThatAreNotBelowAreIgnored) {
    const HostId victim = ids(world_, {"w0"}).front();
    for (const char* liar : {"f1", "w1"}) {
        for (const FrameType type : {FrameType::lost, FrameType::suspect, FrameType::resumed}) {
            Frame forged;
            forged.type = type;
            forged.source = ids(world_, {liar}).front();
            forged.destination = root_id;
            forged.body = encode(ChildNews{victim, {victim}, "forged", true});
            world_.inject(liar, forged);
        }
    }
    world_.advance(seconds(1));
    EXPECT_EQ(changes("w0 lost"), 0);
    EXPECT_EQ(changes("w0 suspect"), 0);
    EXPECT_EQ(exec(world_, "hostname", on({"w0"})).succeeded(), 1u);
}

TEST_F(Fault, AnOperationStartedOnALostHostSaysSo) {
    world_.kill("f3");
    world_.advance(seconds(1));
    const auto run = exec(world_, "hostname", on({"f3", "f4"}));
    expect_lost(run, "f3", milliseconds(100));
    EXPECT_TRUE(run.of("f4").outcome->ok());
}

TEST_F(Fault, ALostHostCanBeReachedAgain) {
    world_.kill("f3");
    world_.advance(seconds(1));
    EXPECT_EQ(reached(explore(world_, {"f3"})), 1u);
    EXPECT_EQ(exec(world_, "hostname").succeeded(), 13u);
}

TEST_F(Fault, LeavingEndsAllAgents) {
    ExecRun run(world_, "sleep 60");
    world_.advance(seconds(1));
    const TimePoint begun = world_.time().now();
    world_.run(world_.root().leave(seconds(3)));
    EXPECT_LT(world_.time().now() - begun, seconds(1));
    world_.advance(milliseconds(100));
    EXPECT_EQ(world_.agents_running(), 0u);
    EXPECT_EQ(world_.commands_running(), 0u);
}

TEST_F(Fault, LeavingDoesNotWaitForTheSilent) {
    world_.cut("edge", Cut::silent);
    world_.stop("f1");
    world_.advance(seconds(5));
    const TimePoint begun = world_.time().now();
    world_.run(world_.root().leave(seconds(3)));
    EXPECT_LE(world_.time().now() - begun, seconds(3));
    world_.resume("f1");
    world_.advance(seconds(35));
    EXPECT_EQ(world_.agents_running(), 0u);
}

TEST_F(Fault, AgentsEndWhenTheMachineOfTheShellCrashes) {
    world_.crash("ctl");
    world_.advance(seconds(50));
    EXPECT_EQ(world_.agents_running(), 0u);
}

}  // namespace
}  // namespace trellis::sim
