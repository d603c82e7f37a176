// Agents that lose their parent and find another one, with all that they were doing.
#include "tests/sim/sim_session.hpp"

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

}  // namespace
}  // namespace trellis::sim
