// Round trips in the simulated world: what one takes alone, and what it takes in a crowd.
#include "tests/sim/sim_seams.hpp"
#include "tests/sim/sim_session.hpp"

#include <numeric>
#include <optional>

#include <boost/asio/detached.hpp>
#include <gtest/gtest.h>

namespace trellis::sim {
namespace {

using std::chrono::microseconds;
using std::chrono::nanoseconds;

// Hosts h0 to h9, 20 us from their switch, w0 and w1 behind another one, 100 us away.
class SimProbing : public testing::Test {
  protected:
    void SetUp() override {
        auto names = numbered("h", 10);
        names.insert(names.end(), {"w0", "w1"});
        ASSERT_EQ(reached(explore(world_, names)), 12u);
        for (const auto& [id, member] : world_.root().membership().members())
            everyone_.push_back(member.host);
        for (const std::string& name : names)
            sessions_[name] = agent(name).seams().prober.open(session_of(name)).value();
        world_.set_noise([this](MachineIndex from, MachineIndex to, Duration passed) {
            samples_[{from, to}].push_back(passed);
            return passed;
        });
    }
    SimProcess& agent(const std::string& name) { return world_.machines().agent(name); }
    PeerSession session_of(const std::string& name) {
        return {OperationId{7}, std::string(32, 'n'), id_of(name), everyone_};
    }
    HostId id_of(const std::string& name) { return world_.root().membership().find(name)->host.id; }

    Task<void> measure(std::string from, std::string to) {
        Endpoint at = sessions_[to]->endpoint();
        const ProbePlan plan;
        const auto result = co_await sessions_[from]->measure(id_of(to), std::move(at), plan);
        EXPECT_TRUE(result.has_value());
        if (result) results_[from + to] = *result;
        ++ended_;
    }
    Task<void> serve(std::string host, std::string peer) {
        const auto result = co_await sessions_[host]->serve(id_of(peer), std::chrono::seconds(5));
        served_[host + peer] = result ? "over" : result.error().cause;
    }
    void start_serving(const std::string& host, const std::string& peer) {
        asio::co_spawn(world_.executor(), serve(host, peer), asio::detached);
    }
    // How many round trips of probes, beside those of connections, which are two for each set.
    int probes(const std::string& from, const std::string& to) {
        const auto& all = samples_[{*world_.machines().find(from), *world_.machines().find(to)}];
        return static_cast<int>(all.size()) - 2;
    }
    void start(const std::string& from, const std::string& to) {
        asio::co_spawn(world_.executor(), measure(from, to), asio::detached);
        ++started_;
    }
    void finish() {
        ASSERT_TRUE(world_.advance_until([this] { return ended_ == started_; }, std::chrono::seconds(10)));
    }
    double mean_us(const std::string& from, const std::string& to) {
        const auto& all = samples_[{*world_.machines().find(from), *world_.machines().find(to)}];
        const Duration sum = std::accumulate(all.begin(), all.end(), Duration(0));
        return static_cast<double>(sum.count()) / 1e3 / static_cast<double>(all.size());
    }

    SimWorld world_{
        parse_lab("switch core\nswitch edge core delay=100us rate=10mbit queue=1m\n"
                  "host ctl core 10.9.0.1\nhosts h%d 0 9 core 10.1.0.1 delay=20us\n"
                  "hosts w%d 0 1 edge 10.2.0.1 delay=20us\n")};
    std::vector<Host> everyone_;
    std::map<std::string, std::unique_ptr<Prober::Session>> sessions_;
    std::map<std::string, ProbeResult> results_;
    std::map<std::string, std::string> served_;
    std::map<std::pair<MachineIndex, MachineIndex>, std::vector<Duration>> samples_;
    int started_ = 0, ended_ = 0;
};

TEST_F(SimProbing, AloneARoundTripTakesTwiceThePathAndFourMessagesOfCpu) {
    start("h0", "h1");
    finish();
    const ProbeResult& result = results_["h0h1"];
    EXPECT_EQ(result.minima, std::vector<Duration>(3, microseconds(2 * 40 + 4 * 5)));
    EXPECT_EQ(result.round_trips, 33);                        // a set ends after 10 without a new minimum
    EXPECT_EQ(samples_.begin()->second.size(), 33u + 3 * 2);  // and each opened a connection
}

TEST_F(SimProbing, ThoseWhoMeasureOneHostWaitForItsProcessor) {
    world_.network().set_cpu_cost(*world_.machines().find("h9"), microseconds(20));
    for (int i = 0; i < 9; ++i)
        start("h" + std::to_string(i), "h9");
    finish();
    // Alone it would be 130 us; nine round trips cost that host 360 us.
    EXPECT_GT(mean_us("h0", "h9"), 300);
    EXPECT_LT(mean_us("h0", "h9"), 361);
    EXPECT_GE(results_["h0h9"].minima.front(), microseconds(130));
}

TEST_F(SimProbing, ThoseWhoShareALinkWaitForIt) {
    for (int i = 0; i < 8; ++i)
        start("h" + std::to_string(i), i % 2 == 0 ? "w0" : "w1");
    finish();
    // 130 bytes at 10 Mbit/s: each is 104 us on the link in each direction, 508 us in all if alone.
    EXPECT_GT(mean_us("h0", "w0"), 750);
    EXPECT_LT(mean_us("h0", "w0"), 833);
}

TEST_F(SimProbing, WhoHoldsIsMeasuredInTheOrderInWhichItServes) {
    sessions_["h9"]->hold(true);
    start("h0", "h9");
    start("h1", "h9");
    world_.advance(std::chrono::seconds(2));
    EXPECT_LE(probes("h0", "h9"), 0);
    start_serving("h9", "h1");
    world_.advance(std::chrono::milliseconds(500));
    EXPECT_EQ(served_["h9h1"], "over");
    EXPECT_EQ(results_["h1h9"].round_trips, 33);
    EXPECT_LE(probes("h0", "h9"), 0);
    sessions_["h9"]->hold(false);
    finish();
    EXPECT_EQ(results_["h0h9"].minima, results_["h1h9"].minima);
}

TEST_F(SimProbing, AHeldMeasurementTimesOut) {
    sessions_["h9"]->hold(true);
    Endpoint at = sessions_["h9"]->endpoint();
    ProbePlan plan;
    plan.turn = std::chrono::seconds(5);
    std::optional<Result<ProbeResult>> result;
    asio::co_spawn(world_.executor(), sessions_["h0"]->measure(id_of("h9"), at, plan),
                   [&](const std::exception_ptr&, Result<ProbeResult> got) { result = std::move(got); });
    world_.advance(std::chrono::milliseconds(7900));
    EXPECT_FALSE(result);
    world_.advance(std::chrono::milliseconds(200));
    ASSERT_TRUE(result && !*result);
    EXPECT_EQ(result->error().kind, FailureKind::timed_out);
}

TEST_F(SimProbing, WhoDiesWhileItIsServedIsOverAndWhoNeverComesTimesOut) {
    sessions_["h9"]->hold(true);
    start("h0", "h9");
    start_serving("h9", "h0");
    start_serving("h9", "h1");
    world_.advance(std::chrono::milliseconds(1));
    agent("h0").kill();
    world_.advance(std::chrono::milliseconds(1));
    EXPECT_EQ(served_["h9h0"], "over");
    world_.advance(std::chrono::milliseconds(4990));
    EXPECT_EQ(served_.count("h9h1"), 0u);
    world_.advance(std::chrono::milliseconds(20));
    EXPECT_EQ(served_["h9h1"], "it has not come and gone");
}

TEST_F(SimProbing, WhoLosesItsPowerWhileItIsServedTimesOut) {
    sessions_["h9"]->hold(true);
    start("h0", "h9");
    start_serving("h9", "h0");
    world_.advance(std::chrono::milliseconds(1));
    world_.crash("h0");
    world_.advance(std::chrono::milliseconds(4900));
    EXPECT_EQ(served_.count("h9h0"), 0u);
    world_.advance(std::chrono::milliseconds(200));
    EXPECT_EQ(served_["h9h0"], "it has not come and gone");
}

TEST_F(SimProbing, ProbesKeepThePace) {
    Endpoint at = sessions_["h9"]->endpoint();
    ProbePlan plan{1, 10, 10};
    plan.pace = std::chrono::milliseconds(5);
    std::optional<Result<ProbeResult>> result;
    const TimePoint begun = world_.time().now();
    asio::co_spawn(world_.executor(), sessions_["h0"]->measure(id_of("h9"), at, plan),
                   [&](const std::exception_ptr&, Result<ProbeResult> got) { result = std::move(got); });
    ASSERT_TRUE(world_.advance_until([&] { return result.has_value(); }, std::chrono::seconds(1)));
    EXPECT_GE(world_.time().now() - begun, std::chrono::milliseconds(50));
    EXPECT_GE((*result)->probing, std::chrono::milliseconds(50));
    EXPECT_EQ((*result)->minima, std::vector<Duration>(1, microseconds(2 * 40 + 4 * 5)));
}

TEST_F(SimProbing, AMeasurementEndsWithItsProcess) {
    start("h0", "h1");
    world_.advance(microseconds(300));
    const std::size_t sampled = samples_.begin()->second.size();
    agent("h0").kill();
    world_.advance(std::chrono::seconds(5));
    EXPECT_EQ(samples_.begin()->second.size(), sampled);
}

}  // namespace
}  // namespace trellis::sim
