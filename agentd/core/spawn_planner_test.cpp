#include "agentd/core/spawn_planner.hpp"

#include <deque>

#include <gtest/gtest.h>

namespace trellis {
namespace {

constexpr std::chrono::milliseconds quick{200};
constexpr std::chrono::seconds slow{10};

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
    SpawnPlanner planner(anyone, {});
    planner.add_worker(root_id, "root", 0);
    add_targets(planner, 5000);
    std::deque<SpawnPlanner::Assignment> running;
    const auto crowd_after_300 = [&](Duration took) {
        for (int ended = 0; ended <= 300; ++ended) {
            for (const auto& assignment : planner.next())
                running.push_back(assignment);
            if (ended == 300) break;
            planner.reached(running.front().worker, running.front().target, took);
            running.pop_front();
        }
        return planner.in_flight();
    };
    EXPECT_GT(crowd_after_300(quick), 300U);
    EXPECT_EQ(crowd_after_300(slow), SpawnLimits{}.crowd);
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
    EXPECT_TRUE(planner.failed(HostId{1}, HostId{2}, refused));
    const auto again = planner.next();
    ASSERT_EQ(again.size(), 1U);
    EXPECT_EQ(again[0].worker, root_id) << "although its fan-out is used up";
    EXPECT_FALSE(planner.failed(root_id, HostId{2}, refused)) << "the root's word is final";
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
    SpawnPlanner planner(behind_h1, {});
    planner.add_worker(root_id, "root", 0);
    add_targets(planner, 5);
    ASSERT_EQ(planner.next().size(), 1U);
    planner.reached(root_id, HostId{1}, quick);
    const auto first = planner.next();
    ASSERT_EQ(first.size(), 2U);
    const Outcome refused = Outcome::of({FailureKind::refused, "", "", "authentication"});
    planner.failed(HostId{1}, first[0].target, refused);
    planner.reached(HostId{1}, first[1].target, quick);
    EXPECT_EQ(run_to_end(planner)[HostId{1}], 2U);
    ASSERT_EQ(planner.stranded().size(), 1U);
    EXPECT_EQ(planner.stranded()[0].outcome, refused) << "its own cause, not that nobody else could";
}

TEST(SpawnPlanner, ATimeOutIsNotRepeated) {
    SpawnPlanner planner(anyone, {});
    planner.add_worker(HostId{7}, "h7", 0);
    add_targets(planner, 1);
    ASSERT_EQ(planner.next().size(), 1U);
    EXPECT_FALSE(planner.failed(HostId{7}, HostId{1}, Outcome::of({FailureKind::timed_out, "", "", ""})));
}

}  // namespace
}  // namespace trellis
