// Logins that fail once: repeated after pauses where sshd drops connections, and tried from elsewhere where
// one agent finds no way, all within the time-out.
#include "tests/sim/sim_session.hpp"

#include <gtest/gtest.h>

namespace trellis::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

struct Told {
    std::string host;
    LoginAttempt attempt;
};

// Explores and keeps the logins that ended.
struct Exploration {
    std::vector<Told> ended;
    std::vector<ExploreOutcome> outcomes;

    Exploration(SimWorld& world, ExploreRequest request) {
        request.attempt = [&](const std::string& host, const LoginAttempt& attempt) {
            if (attempt.outcome) ended.push_back({host, attempt});
        };
        outcomes = explore(world, std::move(request));
    }
    [[nodiscard]] std::vector<LoginAttempt> of(const std::string& host) const {
        std::vector<LoginAttempt> attempts;
        for (const Told& each : ended)
            if (each.host == host) attempts.push_back(each.attempt);
        return attempts;
    }
};

// A tree of which the root has one child, so that all others are logged in to by agents.
ExploreRequest narrow_request(std::vector<std::string> hosts) {
    ExploreRequest request = explore_request(std::move(hosts));
    request.limits.fan_out = 1;
    return request;
}

TEST(ExploreRepeat, AnSshdThatDropsConnectionsIsTriedAgainWithPauses) {
    SimWorld world(many_hosts(3));
    world.login("h1").drops = 4;
    const Exploration exploration(world, explore_request(numbered("h", 3)));
    EXPECT_EQ(reached(exploration.outcomes), 3u) << failures(exploration.outcomes);
    EXPECT_EQ(exploration.of("h1").size(), 5u);
    EXPECT_EQ(exploration.of("h1").front().outcome->kind, FailureKind::lost);
    const auto took = world.time().now().time_since_epoch();
    EXPECT_GT(took, milliseconds(100 + 200 + 400 + 800));
    EXPECT_LT(took, seconds(4));
}

TEST(ExploreRepeat, AnSshdThatDropsEveryConnectionCostsOneTimeOut) {
    SimWorld world(many_hosts(3));
    world.login("h1").drops = 1000;
    const Exploration exploration(world, explore_request(numbered("h", 3)));
    EXPECT_EQ(reached(exploration.outcomes), 2u);
    EXPECT_EQ(exploration.outcomes[1].outcome.detail, "connection closed in login");
    EXPECT_LT(exploration.of("h1").size(), 15u);
    EXPECT_LE(world.time().now().time_since_epoch(), seconds(16));
}

TEST(ExploreRepeat, AHostThatIsSilentToOneAgentIsReachedFromAnother) {
    SimWorld world(many_hosts(6));
    for (const char* host : {"h4", "h5"})
        world.login(host).answers = [](const std::string& from) { return from == "ctl"; };
    const Exploration exploration(world, narrow_request(numbered("h", 6)));
    EXPECT_EQ(reached(exploration.outcomes), 6u) << failures(exploration.outcomes);
    for (const char* host : {"h4", "h5"}) {
        const auto attempts = exploration.of(host);
        ASSERT_GE(attempts.size(), 2u) << host;
        EXPECT_FALSE(attempts.front().outcome->ok());
        EXPECT_LT(attempts.front().took, seconds(8)) << "time must be left for another";
        EXPECT_EQ(attempts.back().from, "root");
    }
}

TEST(ExploreRepeat, ASlowLoginHasTheWholeTime) {
    SimWorld world(many_hosts(6));
    for (const auto& host : numbered("h", 6))
        world.login(host).delay = seconds(1);
    world.login("h5").delay = seconds(12);
    const Exploration exploration(world, narrow_request(numbered("h", 6)));
    EXPECT_EQ(reached(exploration.outcomes), 6u) << failures(exploration.outcomes);
    EXPECT_EQ(exploration.of("h5").size(), 1u);
}

TEST(ExploreRepeat, OfTwoGatewaysTheOneWithAWayIsFound) {
    SimWorld world(many_hosts(8));
    const RouteRule rule = [](const std::string& from, const std::string& to) -> std::optional<Route> {
        const bool gateway = to == "h0" || to == "h1";
        const bool by_gateway = from == "h0" || from == "h1";
        const bool allowed = gateway ? from == "root" : by_gateway;
        return allowed ? std::optional<Route>(Route{}) : std::nullopt;
    };
    for (const auto& host : numbered("h", 8))
        if (host != "h0" && host != "h1")
            world.login(host).answers = [](const std::string& from) { return from == "h1"; };
    const Exploration exploration(world, explore_request(numbered("h", 8), rule));
    EXPECT_EQ(reached(exploration.outcomes), 8u) << failures(exploration.outcomes);
    for (const LoginAttempt& attempt : exploration.of("h7"))
        EXPECT_EQ(attempt.outcome->ok(), attempt.from == "h1");
}

TEST(ExploreRepeat, DeadHostsCostOneTimeOutAndTheirWholeTime) {
    SimWorld world(many_hosts(200));
    for (const char* host : {"h20", "h70", "h120", "h170"})
        world.cut(host, Cut::silent);
    const Exploration exploration(world, explore_request(numbered("h", 200)));
    EXPECT_EQ(reached(exploration.outcomes), 196u);
    EXPECT_EQ(exploration.outcomes[70].outcome.kind, FailureKind::timed_out);
    EXPECT_LE(world.time().now().time_since_epoch(), seconds(20));
}

}  // namespace
}  // namespace trellis::sim
