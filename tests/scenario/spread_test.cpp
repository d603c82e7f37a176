// How long spreading over many hosts takes, against the best possible schedule.
#include "tests/sim/sim_session.hpp"

#include <cstdlib>

#include <gtest/gtest.h>

namespace trellis::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Kind = LoginBehaviour::Kind;

constexpr milliseconds link_delay{1};  // between any two hosts, one way
constexpr milliseconds login_time{50};
constexpr std::size_t fan_out = 32;

// A host can log in to others as soon as its own agent is there, and to at most `fan_out` of them. No login
// is shorter than a round trip to connect and the time that it takes itself. So after k times that long there
// are at most
//     A(k) = A(k-1) + fan_out * (A(k-1) - A(k-2)),   A(0) = 1 (the root),  A(-1) = 0
// agents and root: whoever was there a step earlier has all its children, those that have just come have none
// yet. That bound is attained if everyone logs in to `fan_out` hosts at once. The hosts of the last step are
// k links away from the root, which knows of them no earlier than when the word has come up these.
Duration best_schedule(std::size_t hosts) {
    std::size_t before = 0;
    std::size_t there = 1;
    int steps = 0;
    while (there < hosts + 1) {
        const std::size_t fresh = there - before;
        before = there;
        there += fan_out * fresh;
        ++steps;
    }
    return steps * (2 * link_delay + login_time + link_delay);
}

std::size_t many() {
    return std::getenv("TRELLIS_FULL") ? 10000 : 2000;
}

// What each message costs at both its ends (5 us) is no part of that schedule: batches must make up for it.
lab::TopologyFile equally_far(std::size_t hosts) {
    std::string text = "switch core\nhost ctl core 10.255.0.1 rate=10gbit delay=500us queue=8m\n";
    for (std::size_t first = 0; first < hosts; first += 250) {
        const std::size_t last = std::min(first + 250, hosts) - 1;
        text += "hosts h%d " + std::to_string(first) + " " + std::to_string(last) + " core 10." +
                std::to_string(first / 64000) + "." + std::to_string(first / 250 % 256) +
                ".1 rate=1gbit delay=500us queue=1m\n";
    }
    return parse_lab(text);
}

ExploreRequest wide_request(std::size_t hosts) {
    ExploreRequest request = explore_request(numbered("h", hosts));
    request.limits.fan_out = fan_out;
    request.limits.width = fan_out;
    return request;
}

void set_logins(SimWorld& world, std::size_t hosts) {
    for (const std::string& host : numbered("h", hosts))
        world.login(host).delay = login_time;
}

TEST(Spread, TakesLittleLongerThanTheBestSchedule) {
    const std::size_t hosts = many();
    SimWorld world(equally_far(hosts));
    set_logins(world, hosts);
    const auto outcomes = explore(world, wide_request(hosts));
    const Duration took = world.time().now().time_since_epoch();
    EXPECT_EQ(reached(outcomes), hosts) << failures(outcomes);
    EXPECT_LE(took, best_schedule(hosts) * 13 / 10);
    RecordProperty("took_ms", static_cast<int>(took / milliseconds(1)));
    RecordProperty("best_ms", static_cast<int>(best_schedule(hosts) / milliseconds(1)));
    std::map<HostId, std::size_t> children;
    for (const auto& [id, member] : world.root().membership().members())
        EXPECT_LE(++children[member.parent], fan_out);
}

// One in a hundred refuses, or has no sshd; one in a hundred is silent, or hangs in the login.
struct HostFault {
    Kind kind = Kind::works;
    bool silent = false;
    FailureKind told{};
};
std::optional<HostFault> fault_of(std::size_t host) {
    switch (host % 200) {
        case 7:
            return HostFault{Kind::refuses, false, FailureKind::refused};
        case 107:
            return HostFault{Kind::unreachable, false, FailureKind::unreachable};
        case 57:
            return HostFault{Kind::hangs, false, FailureKind::timed_out};
        case 157:
            return HostFault{Kind::works, true, FailureKind::timed_out};
        default:
            return std::nullopt;
    }
}

TEST(Spread, DeadAndHangingHostsDelayNobody) {
    const std::size_t hosts = many();
    SimWorld world(equally_far(hosts));
    set_logins(world, hosts);
    std::size_t faults = 0;
    for (std::size_t i = 0; i < hosts; ++i) {
        const auto fault = fault_of(i);
        if (!fault) continue;
        ++faults;
        const std::string host = "h" + std::to_string(i);
        world.login(host).kind = fault->kind;
        if (fault->silent) world.cut(host, Cut::silent);
    }
    ASSERT_EQ(faults, hosts / 50);
    TimePoint all_others{};
    auto request = wide_request(hosts);
    request.progress = [&](std::size_t good, std::size_t, std::size_t) {
        if (good == hosts - faults && all_others == TimePoint{}) all_others = world.time().now();
    };
    const auto outcomes = explore(world, request);
    EXPECT_EQ(reached(outcomes), hosts - faults);
    for (std::size_t i = 0; i < hosts; ++i) {
        const auto fault = fault_of(i);
        EXPECT_TRUE(!fault || outcomes[i].outcome.kind == fault->told) << outcomes[i].outcome.detail;
    }
    const Duration bound = best_schedule(hosts) * 13 / 10;
    EXPECT_LE(all_others.time_since_epoch(), bound);
    EXPECT_LE(world.time().now().time_since_epoch(), bound + request.login_timeout);
    RecordProperty("others_ms", static_cast<int>(all_others.time_since_epoch() / milliseconds(1)));
    RecordProperty("took_ms", static_cast<int>(world.time().now().time_since_epoch() / milliseconds(1)));
}

}  // namespace
}  // namespace trellis::sim
