// `ping`: the real shell over real agents, in virtual time.
#include "tests/scenario/sim_shell.hpp"

#include <algorithm>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace trellis {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

class Ping : public testing::Test {
  protected:
    void SetUp() override {
        ASSERT_EQ(shell_.explore_all(), 0);
        shell_.said();
    }
    SimShell shell_{sim::many_hosts(8)};
};

TEST_F(Ping, TimesOneRoundTripOfTheTree) {
    const TimePoint begun = shell_.world().time().now();
    EXPECT_EQ(shell_.run("ping --json").status, 0);
    const Duration took = shell_.world().time().now() - begun;
    const auto json = nlohmann::json::parse(shell_.printed());
    EXPECT_EQ(json.at("hosts"), 8);
    EXPECT_EQ(json.at("answers"), 8);
    EXPECT_EQ(json.at("ms").size(), 8U);
    EXPECT_GT(json.at("min_ms"), 0.0);
    EXPECT_LE(json.at("min_ms"), json.at("median_ms"));
    EXPECT_LE(json.at("median_ms"), json.at("max_ms"));
    EXPECT_LE(json.at("max_ms"), std::chrono::duration<double>(took).count() * 1e3);
    EXPECT_EQ(shell_.run("ping").status, 0);
    EXPECT_THAT(shell_.printed(), MatchesRegex("8 of 8 hosts answer: min .* ms, median .* ms, max .* ms\n"));
}

TEST_F(Ping, NamesTheHostsThatDoNotAnswer) {
    shell_.world().kill("h3");
    EXPECT_EQ(shell_.run("ping -a").status, 1);
    EXPECT_THAT(shell_.printed(), HasSubstr("h0: "));
    EXPECT_THAT(shell_.said(), HasSubstr("h3: lost"));
    EXPECT_EQ(shell_.run("rmask; ping").status, 0);
    EXPECT_THAT(shell_.printed(), HasSubstr("7 of 7 hosts answer"));
}

// What relays hold for a host that is late is passed on before the others seem late, too.
TEST(PingOfATree, OneSilentHostDelaysNoOther) {
    SimShell shell{sim::many_hosts(100)};
    ASSERT_EQ(shell.explore_all(), 0);
    const auto slowest_of_most = [&](int status) {
        shell.printed();
        EXPECT_EQ(shell.run("ping --json").status, status);
        const auto answers = nlohmann::json::parse(shell.printed());
        std::vector<double> times;
        for (const auto& time : answers.at("ms"))
            times.push_back(time);
        std::ranges::sort(times);
        return times.at(95);
    };
    const double usual = slowest_of_most(0);
    shell.world().stop("h40");
    EXPECT_LE(slowest_of_most(1), 2.5 * usual);
}

}  // namespace
}  // namespace trellis
