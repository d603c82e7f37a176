// Agents that lose their parent and find another one, with all that they were doing.
#include "tests/sim/sim_session.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trellis::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// 40 hosts over a tree: some of them have children.
class Heal : public testing::Test {
  public:
    Heal() : world_(many_hosts(40)) {
        EXPECT_EQ(reached(explore(world_, numbered("h", 40))), 40u);
        world_.root().on_change([this](const Member& member) {
            if (member.state == MemberState::lost) lost_.push_back(member.host.name);
        });
    }

  protected:
    // A host that has children, and how many are below it at any depth.
    [[nodiscard]] std::string relay() {
        const Membership& membership = world_.root().membership();
        for (const auto& [id, member] : membership.members())
            if (!membership.children(id).empty()) return member.host.name;
        return "";
    }
    [[nodiscard]] HostId parent_of(const std::string& host) {
        return world_.root().membership().find(ids(world_, {host}).front())->parent;
    }

    SimWorld world_;
    std::vector<std::string> lost_;
};

TEST_F(Heal, TheChildrenOfAKilledRelayAreAdoptedWithTheirJobs) {
    const std::string killed = relay();
    ASSERT_FALSE(killed.empty());
    ExecRun run(world_, "echo begun; yes 3000000; sleep 3; echo end");
    world_.advance(milliseconds(500));
    world_.kill(killed);
    run.finish();
    EXPECT_EQ(lost_, std::vector<std::string>{killed});
    EXPECT_EQ(run.succeeded(), 39u);
    for (const auto& [host, report] : run.reports()) {
        if (host != killed) {
            EXPECT_EQ(report.out.size(), 6u + 3000000u + 4u) << host;
        }
    }
    EXPECT_LT(world_.time().now().time_since_epoch(), seconds(20));
    EXPECT_EQ(exec(world_, "hostname").succeeded(), 39u);
}

TEST_F(Heal, ALinkThatBreaksIsReplacedAndTheHostStays) {
    const std::string relayed = relay();
    ExecRun run(world_, "sleep 2; echo end");
    world_.advance(milliseconds(500));
    world_.break_link(relayed);
    run.finish();
    EXPECT_EQ(run.succeeded(), 40u);
    EXPECT_TRUE(lost_.empty());
    EXPECT_EQ(world_.agents_running(), 40u);
}

// The other direction is whole, so that the parent hears its child all the time.
TEST_F(Heal, ALinkOnWhichTheChildHearsNothingForLongerThanALeaseIsReplaced) {
    for (const std::string& host : {relay(), std::string("h39")}) {
        ExecRun run(world_, "sleep 40; echo end");
        world_.advance(milliseconds(500));
        world_.deafen(host, seconds(60));
        run.finish();
        EXPECT_EQ(run.succeeded(), 40u);
        EXPECT_EQ(run.of(host).suspected, 1);
        EXPECT_EQ(run.of(host).resumed, 1);
    }
    EXPECT_TRUE(lost_.empty());
    EXPECT_EQ(world_.agents_running(), 40u);
}

TEST_F(Heal, AChildThatHearsItsParentAgainIsNoLongerSuspect) {
    ExecRun run(world_, "sleep 12; echo end");
    world_.advance(milliseconds(500));
    world_.deafen("h39", seconds(6));
    world_.advance(seconds(5));
    EXPECT_EQ(run.of("h39").suspected, 1);
    EXPECT_EQ(run.of("h39").resumed, 0);
    world_.advance(milliseconds(1100));
    EXPECT_EQ(run.of("h39").resumed, 1);
    run.finish();
    EXPECT_EQ(run.succeeded(), 40u);
    EXPECT_EQ(run.of("h39").suspected, 1);
}

TEST_F(Heal, AnOrphanThatNobodyAdoptsEndsAfterItsGrace) {
    ExecRun run(world_, "sleep 60");
    world_.advance(seconds(1));
    world_.kill_root();
    world_.advance(seconds(14));
    EXPECT_GT(world_.agents_running(), 0u);
    world_.advance(seconds(2));
    EXPECT_EQ(world_.agents_running(), 0u);
    EXPECT_EQ(world_.commands_running(), 0u);
}

TEST_F(Heal, WhatHasEndedMeanwhileIsToldOnce) {
    ExecRun run(world_, "sleep 1; echo end");
    const std::string relayed = relay();
    world_.advance(milliseconds(900));
    world_.login(relayed).delay = seconds(2);
    world_.break_link(relayed);
    run.finish();
    EXPECT_EQ(run.succeeded(), 40u);
    EXPECT_EQ(run.of(relayed).out, "end\n");
}

// h0 and h1 are logged in to by the root, all others by these two alone.
std::optional<Route> by_two_gateways(const std::string& from, const std::string& to) {
    const auto gateway = [](const std::string& name) { return name == "h0" || name == "h1"; };
    if (gateway(to) ? from == "root" : gateway(from)) return Route{};
    return std::nullopt;
}

TEST(HealByRules, HostsBelowASilentRelayMoveBelowAnotherOne) {
    SimWorld world(many_hosts(12));
    ASSERT_EQ(reached(explore(world, explore_request(numbered("h", 12), by_two_gateways))), 12u);
    ExecRun run(world, "echo begun; sleep 35; echo end");
    world.advance(seconds(1));
    world.stop("h0");
    run.finish();
    EXPECT_EQ(run.succeeded(), 11u);
    EXPECT_EQ(run.of("h0").outcome->kind, FailureKind::lost);
    for (const auto& host : numbered("h", 12))
        EXPECT_EQ(run.of(host).out, host == "h0" ? "begun\n" : "begun\nend\n") << host;
    world.resume("h0");
    world.advance(seconds(20));
    EXPECT_EQ(world.agents_running(), 11u);
    EXPECT_EQ(exec(world, "hostname").succeeded(), 11u);
}

TEST(HealByRules, ALoginThatASilentHostShouldMakeIsMadeByAnother) {
    SimWorld world(many_hosts(8));
    ASSERT_EQ(reached(explore(world, explore_request({"h0", "h1"}, by_two_gateways))), 2u);
    world.stop("h0");
    const TimePoint begun = world.time().now();
    const auto outcomes =
        explore(world, explore_request({"h2", "h3", "h4", "h5", "h6", "h7"}, by_two_gateways));
    EXPECT_EQ(reached(outcomes), 6u) << failures(outcomes);
    EXPECT_LT(world.time().now() - begun, seconds(6));
}

// The root logs in to h0, h0 to h1, and so on.
std::optional<Route> by_the_one_before(const std::string& from, const std::string& to) {
    const std::string before = to == "h0" ? "root" : "h" + std::to_string(std::stoi(to.substr(1)) - 1);
    return from == before ? std::optional(Route{}) : std::nullopt;
}

// Its parent was heard of while it stood still, and not afterwards.
TEST(HealByRules, AnAgentThatStoodStillWaitsForItsParentNoLongerThanALease) {
    SimWorld world(many_hosts(2));
    ASSERT_EQ(reached(explore(world, explore_request({"h0", "h1"}, by_the_one_before))), 2u);
    world.stop("h1");
    world.advance(seconds(5));
    world.crash("h0");
    world.advance(seconds(22));
    world.resume("h1");
    world.advance(seconds(29));
    EXPECT_EQ(world.agents_running(), 1u);
    world.advance(seconds(2));
    EXPECT_EQ(world.agents_running(), 0u);
}

// As if a frame for h2 had found no way at that host.
TEST(HealByRules, AHostSaidToBeUnreachableIsLedToAgainOrLookedFor) {
    for (const std::string teller : {"h0", "h1", "h3"}) {
        SimWorld world(many_hosts(4));
        ASSERT_EQ(reached(explore(world, explore_request(numbered("h", 4), by_the_one_before))), 4u);
        ExecRun run(world, "echo begun; sleep 2; echo end");
        world.advance(milliseconds(500));
        Frame frame;
        frame.type = FrameType::unreachable;
        frame.source = ids(world, {teller}).front();
        frame.destination = root_id;
        frame.body = encode(ids(world, {"h2"}));
        world.inject(teller, frame);
        run.finish();
        EXPECT_EQ(run.succeeded(), 4u);
        for (const auto& [name, report] : run.reports())
            EXPECT_EQ(report.out, "begun\nend\n") << name;
        EXPECT_EQ(run.of("h2").suspected, teller == "h1" ? 1 : 0)
            << "its parent has lost it, says " << teller;
        EXPECT_EQ(run.of("h2").resumed, run.of("h2").suspected);
    }
}

TEST(HealByRules, ALoginThatASilentHostAloneMayMakeEndsInTime) {
    SimWorld world(many_hosts(4));
    const auto by_h0 = [](const std::string& from, const std::string& to) -> std::optional<Route> {
        return (to == "h0" ? "root" : "h0") == from ? std::optional(Route{}) : std::nullopt;
    };
    ASSERT_EQ(reached(explore(world, explore_request({"h0"}, by_h0))), 1u);
    world.stop("h0");
    const TimePoint begun = world.time().now();
    ExploreRequest request = explore_request({"h1", "h2"}, by_h0);
    request.login_timeout = seconds(10);
    const auto outcomes = explore(world, request);
    EXPECT_LE(world.time().now() - begun, seconds(10));
    for (const ExploreOutcome& each : outcomes)
        EXPECT_THAT(each.outcome.detail, testing::HasSubstr("the host that logs in to it is silent"));
    world.resume("h0");
    world.advance(seconds(1));
    EXPECT_EQ(reached(explore(world, explore_request({"h1", "h2"}, by_h0))), 2u);
}

}  // namespace
}  // namespace trellis::sim
