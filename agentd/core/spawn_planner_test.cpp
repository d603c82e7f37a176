#include "agentd/core/spawn_planner.hpp"

#include <deque>

#include <gtest/gtest.h>

namespace trellis {
namespace {

constexpr std::chrono::milliseconds quick{200};
constexpr std::chrono::seconds long_wait{10};

std::optional<Route> anyone(const std::string&, const std::string&) {
    return Route{};
}

// Lets every login succeed; returns how many children each worker got.
std::map<HostId, std::size_t> run_to_end(SpawnPlanner& planner) {
    std::map<HostId, std::size_t> children;
    for (auto assignments = planner.next(); !assignments.empty(); assignments = planner.next()) {
        for (const auto& assignment : assignments) {
            planner.reached(assignment.worker, assignment.target, quick);
            ++children[assignment.worker];
        }
    }
    return children;
}

void add_targets(SpawnPlanner& planner, std::uint32_t count) {
    for (std::uint32_t i = 1; i <= count; ++i)
        planner.add_target(HostId{i}, "h" + std::to_string(i));
}

TEST(SpawnPlanner, ReachesAllWithinTheFanOut) {
    SpawnPlanner planner(anyone, {});
    planner.add_worker(root_id, "root", 0);
    add_targets(planner, 1000);
    std::size_t reached = 0;
    for (const auto& [worker, children] : run_to_end(planner)) {
        EXPECT_LE(children, SpawnLimits{}.fan_out);
        reached += children;
    }
    EXPECT_EQ(reached, 1000U);
    EXPECT_TRUE(planner.stranded().empty());
}

TEST(SpawnPlanner, AsManyLoginsRunAtOnceAsEndQuickly) {
    // A login takes 40 ms for each that is under way, on a machine that they share.
    SpawnPlanner planner(anyone, {});
    planner.add_worker(root_id, "root", 0);
    add_targets(planner, 5000);
    std::deque<SpawnPlanner::Assignment> running;
    const auto end_some = [&](int count, Duration each) {
        for (int ended = 0; ended < count; ++ended) {
            for (const auto& assignment : planner.next())
                running.push_back(assignment);
            planner.reached(running.front().worker, running.front().target, running.size() * each);
            running.pop_front();
        }
        return planner.in_flight();
    };
    EXPECT_GT(end_some(300, std::chrono::milliseconds(40)), 1500U / 40) << "half of what is quick";
    EXPECT_LE(end_some(1000, std::chrono::milliseconds(40)), 3000U / 40) << "all of it";
    EXPECT_GT(end_some(500, std::chrono::microseconds(50)), 500U);
}

TEST(SpawnPlanner, SlowLoginsLetFewerRunAtOnce) {
    SpawnLimits limits;
    limits.fan_out = limits.width = 16;
    limits.crowd = 32;
    SpawnPlanner planner(anyone, limits);
    planner.add_worker(root_id, "root", 0);
    add_targets(planner, 1000);
    std::deque<SpawnPlanner::Assignment> running;
    for (int ended = 0; ended < 900; ++ended) {
        for (const auto& assignment : planner.next())
            running.push_back(assignment);
        planner.reached(running.front().worker, running.front().target,
                        ended < 50 ? Duration(quick) : long_wait);
        running.pop_front();
    }
    EXPECT_LT(planner.in_flight(), limits.crowd);
}

// The first agent that comes is not given what those that are on their way could take.
TEST(SpawnPlanner, WhatCanBeBegunIsSharedWithThoseOnTheirWay) {
    SpawnLimits limits;
    limits.fan_out = limits.width = 16;
    SpawnPlanner planner(anyone, limits);
    planner.add_worker(root_id, "root", 0);
    add_targets(planner, 16 + 16 * 8);
    const auto first = planner.next();
    ASSERT_EQ(first.size(), 16U);
    std::map<HostId, std::size_t> given;
    for (const auto& login : first) {
        planner.reached(root_id, login.target, std::chrono::milliseconds(50));
        for (const auto& assignment : planner.next())
            ++given[assignment.worker];
    }
    EXPECT_EQ(planner.in_flight(), 16U * 8);
    EXPECT_GE(given.size(), 12U);
    for (const auto& [worker, count] : given)
        EXPECT_LE(count, 12U);
}

TEST(SpawnPlanner, TargetsBehindAGatewayWaitForIt) {
    const RouteRule rule = [](const std::string& from, const std::string& to) -> std::optional<Route> {
        if (to == "h1") return from == "root" ? std::optional<Route>(Route{}) : std::nullopt;
        return from == "h1" ? std::optional<Route>(Route{}) : std::nullopt;
    };
    SpawnPlanner planner(rule, {});
    planner.add_worker(root_id, "root", 0);
    add_targets(planner, 3);
    const auto first = planner.next();
    ASSERT_EQ(first.size(), 1U);
    EXPECT_EQ(first[0].target, HostId{1});
    planner.reached(root_id, HostId{1}, quick);
    for (const auto& assignment : planner.next())
        EXPECT_EQ(assignment.worker, HostId{1});
}

TEST(SpawnPlanner, WhatNobodyMayReachIsStrandedWithAReason) {
    SpawnPlanner planner([](const auto&, const auto&) { return std::optional<Route>(); }, {});
    planner.add_worker(root_id, "root", 0);
    add_targets(planner, 1);
    EXPECT_TRUE(planner.next().empty());
    ASSERT_EQ(planner.stranded().size(), 1U);
    EXPECT_EQ(planner.stranded()[0].outcome.kind, FailureKind::unreachable);
}

TEST(SpawnPlanner, AnInnerFailureIsTriedFromTheRoot) {
    SpawnLimits narrow;
    narrow.fan_out = 1;
    SpawnPlanner planner(anyone, narrow);
    planner.add_worker(root_id, "root", 0);
    add_targets(planner, 2);
    ASSERT_EQ(planner.next().size(), 1U);
    planner.reached(root_id, HostId{1}, quick);
    const auto inner = planner.next();
    ASSERT_EQ(inner.size(), 1U);
    ASSERT_EQ(inner[0].worker, HostId{1});
    const Outcome refused = Outcome::of({FailureKind::refused, "", "", "authentication"});
    EXPECT_TRUE(planner.failed(HostId{1}, HostId{2}, refused, true));
    const auto again = planner.next();
    ASSERT_EQ(again.size(), 1U);
    EXPECT_EQ(again[0].worker, root_id) << "although its fan-out is used up";
    EXPECT_FALSE(planner.failed(root_id, HostId{2}, refused, true)) << "the root's word is final";
    EXPECT_EQ(planner.in_flight(), 0U);
}

// h1 is the one way to all others.
std::optional<Route> behind_h1(const std::string& from, const std::string& to) {
    return from == (to == "h1" ? "root" : "h1") ? std::optional<Route>(Route{}) : std::nullopt;
}

TEST(SpawnPlanner, TheOnlyGatewayMayExceedItsFanOut) {
    SpawnPlanner planner(behind_h1, {});
    planner.add_worker(root_id, "root", 0);
    add_targets(planner, 50);
    EXPECT_EQ(run_to_end(planner)[HostId{1}], 49U);
    EXPECT_TRUE(planner.stranded().empty());
}

TEST(SpawnPlanner, ARefusalByOneHostDoesNotRuleOutTheOnlyGateway) {
    SpawnLimits two_at_once;
    two_at_once.width = 2;
    SpawnPlanner planner(behind_h1, two_at_once);
    planner.add_worker(root_id, "root", 0);
    add_targets(planner, 5);
    ASSERT_EQ(planner.next().size(), 1U);
    planner.reached(root_id, HostId{1}, quick);
    const auto first = planner.next();
    ASSERT_EQ(first.size(), 2U);
    const Outcome refused = Outcome::of({FailureKind::refused, "", "", "authentication"});
    planner.failed(HostId{1}, first[0].target, refused, true);
    planner.reached(HostId{1}, first[1].target, quick);
    EXPECT_EQ(run_to_end(planner)[HostId{1}], 2U);
    ASSERT_EQ(planner.stranded().size(), 1U);
    EXPECT_EQ(planner.stranded()[0].outcome, refused) << "its own cause, not that nobody else could";
}

Outcome failure(FailureKind kind) {
    return Outcome::of({kind, "", "", "for a reason"});
}

TEST(SpawnPlanner, WithoutTimeLeftNothingIsRepeated) {
    SpawnPlanner planner(anyone, {});
    planner.add_worker(HostId{7}, "h7", 0);
    add_targets(planner, 2);
    ASSERT_EQ(planner.next().size(), 2U);
    EXPECT_FALSE(planner.failed(HostId{7}, HostId{1}, failure(FailureKind::timed_out), false));
    EXPECT_FALSE(planner.failed(HostId{7}, HostId{2}, failure(FailureKind::lost), false));
}

TEST(SpawnPlanner, ADroppedConnectionIsRepeatedByWhomever) {
    SpawnPlanner planner(anyone, {});
    planner.add_worker(root_id, "root", 0);
    add_targets(planner, 1);
    for (int i = 0; i < 5; ++i) {
        ASSERT_EQ(planner.next().size(), 1U);
        EXPECT_TRUE(planner.failed(root_id, HostId{1}, failure(FailureKind::lost), true));
    }
    EXPECT_EQ(planner.next().size(), 1U);
}

TEST(SpawnPlanner, SaysWhetherOthersMayTryWhatALoginFailsToReach) {
    const RouteRule by_gateways = [](const std::string& from, const std::string& to) -> std::optional<Route> {
        const bool gateway = from == "g1" || from == "g2";
        return gateway && to.starts_with("h") ? std::optional<Route>(Route{}) : std::nullopt;
    };
    SpawnPlanner planner(by_gateways, {});
    planner.add_worker(root_id, "root", 0);
    planner.add_worker(HostId{101}, "g1", 0);
    add_targets(planner, 1);
    ASSERT_FALSE(planner.next().at(0).others);
    planner.add_worker(HostId{102}, "g2", 0);
    EXPECT_TRUE(planner.failed(HostId{101}, HostId{1}, failure(FailureKind::unreachable), true));
    const auto again = planner.next();
    ASSERT_EQ(again.size(), 1U);
    EXPECT_EQ(again[0].worker, HostId{102});
    EXPECT_FALSE(again[0].others) << "the first has tried already";
}

TEST(SpawnPlanner, AnAgentThatReachesNobodyIsLeftAlone) {
    SpawnLimits narrow;
    narrow.fan_out = 1;
    SpawnPlanner planner(anyone, narrow);
    planner.add_worker(root_id, "root", 1);
    planner.add_worker(HostId{100}, "island", 0);
    add_targets(planner, 6);
    std::size_t by_island = 0;
    for (auto next = planner.next(); !next.empty(); next = planner.next()) {
        for (const auto& assignment : next) {
            if (assignment.worker == HostId{100}) ++by_island;
            if (assignment.worker == root_id)
                planner.reached(root_id, assignment.target, quick);
            else
                planner.failed(assignment.worker, assignment.target, failure(FailureKind::unreachable), true);
        }
    }
    EXPECT_LE(by_island, SpawnLimits{}.first);
    EXPECT_TRUE(planner.stranded().empty());
}

TEST(SpawnPlanner, ASilentWorkerIsGivenOnlyWhatNobodyElseReaches) {
    const auto by_agents = [](const std::string& from, const std::string&) {
        return from == "root" ? std::nullopt : std::optional<Route>(Route{});
    };
    SpawnPlanner planner(by_agents, SpawnLimits{});
    planner.add_worker(HostId{100}, "silent", 0);
    planner.add_worker(HostId{101}, "other", 0);
    planner.set_silent(HostId{100}, true);
    add_targets(planner, 1);
    const auto first = planner.next();
    ASSERT_EQ(first.size(), 1U);
    EXPECT_EQ(first[0].worker, HostId{101});
    EXPECT_FALSE(planner.others_may_take(HostId{101}, first[0].target));
    planner.set_silent(HostId{100}, false);
    EXPECT_TRUE(planner.others_may_take(HostId{101}, first[0].target));
    planner.set_silent(HostId{100}, true);
    EXPECT_TRUE(planner.failed(HostId{101}, first[0].target, failure(FailureKind::unreachable), true));
    const auto again = planner.next();
    ASSERT_EQ(again.size(), 1U);
    EXPECT_EQ(again[0].worker, HostId{100});
}

}  // namespace
}  // namespace trellis
