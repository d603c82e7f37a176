#include "agentd/os/tcp_prober_test.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/steady_timer.hpp>

namespace trellis {
namespace {

TEST_F(TcpProberTest, MeasuresAPeer) {
    const auto result = measure(*a_, 1, b_->endpoint());
    ASSERT_TRUE(result) << result.error().message();
    ASSERT_EQ(result->minima.size(), 3U);
    for (const Duration minimum : result->minima) {
        EXPECT_GT(minimum, Duration::zero());
        EXPECT_LT(minimum, milliseconds(200));
    }
    EXPECT_GE(result->round_trips, 33);
    EXPECT_LE(result->round_trips, 90);
    EXPECT_TRUE(reports_.empty());
}

TEST_F(TcpProberTest, BothMeasureEachOtherAtOnce) {
    std::vector<Result<ProbeResult>> results;
    const auto keep = [&](const std::exception_ptr& error, Result<ProbeResult> result) {
        ASSERT_FALSE(error);
        results.push_back(std::move(result));
    };
    for (int i = 0; i < 10; ++i) {
        asio::co_spawn(context_, a_->measure(agents_.id(1), b_->endpoint(), {}), keep);
        asio::co_spawn(context_, b_->measure(agents_.id(0), a_->endpoint(), {}), keep);
    }
    ASSERT_TRUE(until([&] { return results.size() == 20; }));
    for (const auto& result : results)
        EXPECT_TRUE(result) << result.error().message();
}

TEST_F(TcpProberTest, ProbesKeepThePace) {
    ProbePlan plan{2, 5, 5};
    plan.pace = milliseconds(10);
    const auto result = measure(*a_, 1, b_->endpoint(), plan);
    ASSERT_TRUE(result);
    EXPECT_GE(result->probing, milliseconds(100));
    EXPECT_EQ(result->round_trips, 10);
}

TEST_F(TcpProberTest, NothingListensAfterTheSession) {
    const Endpoint endpoint = b_->endpoint();
    b_.reset();
    EXPECT_FALSE(stranger(endpoint).open());
    const auto result = measure(*a_, 1, endpoint);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind, FailureKind::unreachable);
    EXPECT_NE(result.error().cause.find("Connection refused"), std::string::npos) << result.error().cause;
}

TEST_F(TcpProberTest, NextAddressIsTried) {
    Endpoint endpoint = b_->endpoint();
    endpoint.addresses = {{"127.0.0.2", ""}, {"::1", ""}, {"not an address", ""}, {"127.0.0.1", ""}};
    EXPECT_TRUE(measure(*a_, 1, endpoint));
    endpoint.addresses.clear();
    const auto nowhere = measure(*a_, 1, endpoint);
    ASSERT_FALSE(nowhere);
    EXPECT_EQ(nowhere.error().kind, FailureKind::unreachable);
}

TEST_F(TcpProberTest, ASilentListenerTimesOut) {
    auto silent = listen_on({{"127.0.0.1", ""}});
    ASSERT_TRUE(silent);
    ProbePlan plan;
    plan.timeout = milliseconds(200);
    const auto result = measure(*a_, 1, silent->endpoint, plan);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind, FailureKind::timed_out);
}

TEST_F(TcpProberTest, CancelledMeasuringEndsAtOnce) {
    auto silent = listen_on({{"127.0.0.1", ""}});
    asio::cancellation_signal cancel;
    bool thrown = false;
    const auto ended = [&](const std::exception_ptr& error, const Result<ProbeResult>&) {
        thrown = error != nullptr;
    };
    asio::co_spawn(context_, a_->measure(agents_.id(1), silent->endpoint, {}),
                   asio::bind_cancellation_slot(cancel.slot(), ended));
    asio::steady_timer timer(context_, milliseconds(50));
    timer.async_wait([&](auto) { cancel.emit(asio::cancellation_type::terminal); });
    EXPECT_TRUE(until([&] { return thrown; }));
}

TEST_F(TcpProberTest, EndOfTheSessionEndsItsMeasuring) {
    auto silent = listen_on({{"127.0.0.1", ""}});
    std::optional<Result<ProbeResult>> result;
    asio::co_spawn(context_, a_->measure(agents_.id(1), silent->endpoint, {}),
                   [&](const std::exception_ptr&, Result<ProbeResult> ended) { result = std::move(ended); });
    let_run(milliseconds(50));
    a_.reset();
    ASSERT_TRUE(until([&] { return result.has_value(); }));
    EXPECT_EQ(result->error().kind, FailureKind::cancelled);
}

TEST_F(TcpProberTest, OutsidersAndEmptyPlansAreInvalid) {
    PeerSession session = agents_.session(0);
    session.self = HostId{99};
    EXPECT_FALSE(prober_a_->open(session));
    Agents nowhere(2, {});
    EXPECT_FALSE(prober_a_->open(nowhere.session(0)));
    const auto stranger_id = run(context_, a_->measure(HostId{99}, b_->endpoint(), {}));
    ASSERT_FALSE(stranger_id);
    EXPECT_EQ(stranger_id.error().kind, FailureKind::invalid);
    EXPECT_FALSE(measure(*a_, 1, b_->endpoint(), ProbePlan{0, 0, 0, milliseconds(1)}));
}

TEST_F(TcpProberTest, SixtyFourPeersFromSeveralThreads) {
    constexpr std::size_t per_thread = 16;
    std::atomic<int> measured = 0;
    std::vector<std::thread> threads;
    threads.reserve(4);
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] {
            asio::io_context own(1);
            TcpProber mine(own.get_executor(), agents_.key(2), nullptr);
            auto session = mine.open(agents_.session(2));
            for (std::size_t one = 0; one < per_thread; ++one) {
                asio::co_spawn(own, (*session)->measure(agents_.id(1), b_->endpoint(), {}),
                               [&](const std::exception_ptr&, const Result<ProbeResult>& result) {
                                   if (result) ++measured;
                               });
            }
            own.run();
        });
    }
    for (std::thread& thread : threads)
        thread.join();
    EXPECT_EQ(measured, 64);
}

TEST(TcpProber, MeasuresOverIpv6) {
    asio::io_context context(1);
    Agents agents(2, {{"::1", "::1/128"}, {"127.0.0.1", "127.0.0.0/8"}});
    TcpProber prober_a(context.get_executor(), agents.key(0), nullptr);
    TcpProber prober_b(context.get_executor(), agents.key(1), nullptr);
    const auto a = prober_a.open(agents.session(0));
    const auto b = prober_b.open(agents.session(1));
    ASSERT_TRUE(a);
    ASSERT_TRUE(b);
    Endpoint endpoint = (*b)->endpoint();
    if (endpoint.addresses.size() < 2) GTEST_SKIP() << "no IPv6 on the loopback interface";
    endpoint.addresses.pop_back();
    EXPECT_TRUE(run(context, (*a)->measure(agents.id(1), endpoint, {})));
}

TEST(ListeningSockets, SharedNetworksComeFirstAndOwnAddressesLast) {
    const std::vector<Address> own{{"10.0.0.1", "10.0.0.0/8"}, {"172.17.0.1", "172.17.0.0/16"}};
    const std::vector<Address> there{
        {"172.17.0.1", "172.17.0.0/16"}, {"192.168.1.2", "192.168.1.0/24"}, {"10.0.0.2", "10.0.0.0/8"}};
    const std::vector<Address> order{there[2], there[1], there[0]};
    EXPECT_EQ(dialing_order(own, there), order);
}

}  // namespace
}  // namespace trellis
