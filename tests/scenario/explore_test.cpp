// Spreading agents: who is reached, what is said of those who are not, and that they delay nobody.
#include "tests/sim/sim_session.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <gtest/gtest.h>

namespace trellis::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Kind = LoginBehaviour::Kind;

TEST(Explore, ReachesAllHostsOfALaboratoryFile) {
    SimWorld world(read_lab("two_switches_8"));
    const auto outcomes = explore(world, {"a00", "a01", "a02", "a03", "b00", "b01", "b02", "b03"});
    ASSERT_EQ(outcomes.size(), 8u);
    for (const auto& each : outcomes)
        EXPECT_TRUE(each.outcome.ok()) << each.name << ": " << each.outcome.detail;
    EXPECT_EQ(world.agents_running(), 8u);
    EXPECT_EQ(world.root().membership().members().size(), 8u);
    EXPECT_EQ(world.authority().questions, 8u);
}

class ExploreMany : public testing::TestWithParam<std::size_t> {};

TEST_P(ExploreMany, SpreadsOverATreeOfBoundedFanOut) {
    SimWorld world(many_hosts(GetParam()));
    const auto outcomes = explore(world, numbered("h", GetParam()));
    EXPECT_EQ(reached(outcomes), GetParam());
    std::map<HostId, std::size_t> children;
    for (const auto& [id, member] : world.root().membership().members())
        EXPECT_LE(++children[member.parent], SpawnLimits{}.fan_out);
    EXPECT_LT(world.time().now().time_since_epoch(), seconds(10));
}
INSTANTIATE_TEST_SUITE_P(Sizes, ExploreMany, testing::Values(3, 17, 100, 500));

TEST(Explore, TwoRunsAgreeInEveryEvent) {
    const auto run = [] {
        SimWorld world(many_hosts(60));
        explore(world, numbered("h", 60));
        exec(world, "hostname");
        return std::pair(world.time().events(), world.time().now());
    };
    EXPECT_EQ(run(), run());
}

TEST(Explore, EveryFailureIsToldAndDelaysNobody) {
    SimWorld world(many_hosts(40));
    world.login("h3").kind = Kind::refuses;
    world.login("h3").cause = "tried publickey";
    world.login("h4").kind = Kind::hangs;
    world.login("h5").kind = Kind::unreachable;
    world.login("h6").kind = Kind::cannot_start;
    world.login("h6").cause = "disk full";
    world.cut("h7", Cut::silent);
    world.cut("h8", Cut::visible);
    world.authority().refused_host = "h9";
    auto hosts = numbered("h", 40);
    hosts.push_back("nosuch");
    TimePoint all_others{};
    auto request = explore_request(hosts);
    request.progress = [&](std::size_t good, std::size_t, std::size_t) {
        if (good == 33 && all_others == TimePoint{}) all_others = world.time().now();
    };
    const auto outcomes = explore(world, request);
    const auto kind_of = [&](std::size_t index) { return outcomes[index].outcome.kind; };
    EXPECT_EQ(reached(outcomes), 33u);
    EXPECT_EQ(kind_of(3), FailureKind::refused);
    EXPECT_EQ(outcomes[3].outcome.detail, "tried publickey");
    EXPECT_EQ(kind_of(4), FailureKind::timed_out);
    EXPECT_EQ(kind_of(5), FailureKind::unreachable);
    EXPECT_EQ(kind_of(6), FailureKind::cannot_start);
    EXPECT_EQ(outcomes[6].outcome.detail, "disk full");
    EXPECT_EQ(kind_of(7), FailureKind::timed_out);
    EXPECT_EQ(kind_of(8), FailureKind::unreachable);
    EXPECT_EQ(kind_of(9), FailureKind::refused);
    EXPECT_EQ(kind_of(40), FailureKind::unreachable);
    EXPECT_EQ(outcomes[40].outcome.detail, "unknown name");
    EXPECT_LT(all_others.time_since_epoch(), seconds(3));
    EXPECT_LE(world.time().now().time_since_epoch(), seconds(16));
    EXPECT_EQ(world.agents_running(), 33u);
}

// Hosts b* are reached from the gateway b0 alone.
RouteRule through_gateway() {
    return [](const std::string& from, const std::string& to) -> std::optional<Route> {
        const bool inner = to.starts_with("b") && to != "b0";
        const bool from_inside = from.starts_with("b");
        if (inner ? from != "b0" : from_inside) return std::nullopt;
        return Route{};
    };
}

lab::TopologyFile gateway_lab() {
    return parse_lab(
        "switch wan\nswitch inside wan delay=1ms\nhost ctl wan 10.9.0.1\n"
        "hosts a%d 0 4 wan 10.1.0.1 delay=25us\nhosts b%d 0 19 inside 10.2.0.1 delay=25us\n");
}

std::vector<std::string> both_sides() {
    auto hosts = numbered("b", 20);
    for (const auto& name : numbered("a", 5))
        hosts.push_back(name);
    return hosts;
}

void close_inside(SimWorld& world) {
    for (std::size_t i = 1; i < 20; ++i) {
        world.login("b" + std::to_string(i)).admits = [](const std::string& from) {
            return from.starts_with("b");
        };
    }
}

TEST(Explore, GoesThroughAGateway) {
    SimWorld world(gateway_lab());
    close_inside(world);
    const auto outcomes = explore(world, explore_request(both_sides(), through_gateway()));
    EXPECT_EQ(reached(outcomes), 25u);
    const HostId gateway = ids(world, {"b0"}).front();
    for (const auto& [id, member] : world.root().membership().members()) {
        const bool inner = member.host.name.starts_with("b") && id != gateway;
        EXPECT_TRUE(!inner || member.parent == gateway) << member.host.name;
    }
    EXPECT_EQ(exec(world, "hostname").succeeded(), 25u);
}

TEST(Explore, WithoutItsGatewayAClusterIsNamedUnreachable) {
    SimWorld world(gateway_lab());
    close_inside(world);
    world.login("b0").kind = Kind::refuses;
    const auto outcomes = explore(world, explore_request(both_sides(), through_gateway()));
    EXPECT_EQ(reached(outcomes), 5u);
    EXPECT_EQ(outcomes[0].outcome.kind, FailureKind::refused);
    EXPECT_EQ(outcomes[7].outcome.kind, FailureKind::unreachable);
}

TEST(Explore, EndToEndLoginsPassTheGatewayAsBytes) {
    SimWorld world(gateway_lab());
    close_inside(world);
    world.login("b7").kind = Kind::refuses;
    world.login("b8").kind = Kind::hangs;
    const auto rule = [](const std::string& from, const std::string& to) -> std::optional<Route> {
        auto route = through_gateway()(from, to);
        if (route && from != "root") route->end_to_end = true;
        return route;
    };
    const auto outcomes = explore(world, explore_request(both_sides(), rule));
    EXPECT_EQ(reached(outcomes), 23u) << failures(outcomes);
    EXPECT_EQ(outcomes[7].outcome.kind, FailureKind::refused);
    EXPECT_EQ(outcomes[8].outcome.kind, FailureKind::timed_out);
    for (const auto& [id, member] : world.root().membership().members()) {
        const bool inner = member.host.name.starts_with("b");
        EXPECT_TRUE(!inner || member.parent == root_id) << member.host.name;
    }
    EXPECT_EQ(exec(world, "hostname").succeeded(), 23u);
    EXPECT_LE(world.time().now().time_since_epoch(), seconds(17));
}

TEST(Explore, TwoNamesOfOneMachineAreNoticed) {
    SimWorld world(many_hosts(4));
    world.add_name("front", "h2");
    const auto outcomes = explore(world, {"h0", "h1", "h2", "front", "h3"});
    EXPECT_EQ(reached(outcomes), 4u);
    const auto& twin = outcomes[outcomes[2].outcome.ok() ? 3 : 2].outcome;
    EXPECT_EQ(twin.kind, FailureKind::refused);
    EXPECT_NE(twin.detail.find("the same machine as"), std::string::npos);
    world.advance(seconds(1));
    EXPECT_EQ(world.agents_running(), 4u);
    EXPECT_EQ(exec(world, "hostname").succeeded(), 4u);
}

TEST(Explore, AGatewayThatDiesNamesWhatItWasLoggingInTo) {
    SimWorld world(gateway_lab());
    close_inside(world);
    world.login("b5").kind = Kind::hangs;
    world.time().at(TimePoint(seconds(5)), [&] { world.kill("b0"); });
    const auto outcomes = explore(world, explore_request(both_sides(), through_gateway()));
    EXPECT_EQ(outcomes[5].outcome.kind, FailureKind::lost);
    EXPECT_LT(world.time().now().time_since_epoch(), seconds(6));
    world.advance(seconds(17));
    EXPECT_EQ(world.agents_running(), 5u);
}

TEST(Explore, AGatewayThatFallsSilentIsNamedWhileItIsWaitedFor) {
    SimWorld world(gateway_lab());
    close_inside(world);
    world.login("b5").kind = Kind::hangs;
    auto request = explore_request(both_sides(), through_gateway());
    std::vector<std::string> told;
    request.suspicion = [&](const std::string& host, bool silent) {
        told.push_back(host + (silent ? " silent" : " speaks"));
        EXPECT_LT(world.time().now().time_since_epoch(), seconds(silent ? 9 : 13));
    };
    world.time().at(TimePoint(seconds(5)), [&] { world.stop("b0"); });
    world.time().at(TimePoint(seconds(12)), [&] { world.resume("b0"); });
    explore(world, request);
    EXPECT_EQ(told, (std::vector<std::string>{"b0 silent", "b0 speaks"}));
}

TEST(Explore, AnInterruptedExploreLeavesNoLoginBehind) {
    SimWorld world(many_hosts(10));
    world.login("h4").kind = Kind::hangs;
    auto request = explore_request(numbered("h", 10));
    asio::cancellation_signal interrupt;
    bool ended = false;
    asio::co_spawn(world.executor(), world.root().explore(request),
                   asio::bind_cancellation_slot(interrupt.slot(),
                                                [&](const std::exception_ptr&, auto) { ended = true; }));
    world.advance(seconds(2));
    EXPECT_FALSE(ended);
    interrupt.emit(asio::cancellation_type::terminal);
    world.advance(milliseconds(1));
    EXPECT_TRUE(ended);
    EXPECT_EQ(exec(world, "hostname").succeeded(), 9u);
}

}  // namespace
}  // namespace trellis::sim
