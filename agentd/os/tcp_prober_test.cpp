#include "agentd/os/tcp_prober.hpp"

#include "agentd/core/pair_hello.hpp"
#include "agentd/core/probe_message.hpp"
#include "agentd/os/loopback_agents_test.hpp"

#include <netinet/in.h>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>

namespace trellis {
namespace {

using loopback::Agents;
using loopback::run;
using loopback::stranger;
using loopback::until_closed;
using std::chrono::milliseconds;

class TcpProberTest : public ::testing::Test {
  protected:
    std::unique_ptr<TcpProber> prober(std::size_t index) {
        return std::make_unique<TcpProber>(
            context_.get_executor(), agents_.key(index),
            [this](OperationId, const std::string& text) { reports_.push_back(text); });
    }
    static std::unique_ptr<Prober::Session> open(Prober& prober, const PeerSession& session) {
        auto opened = prober.open(session);
        EXPECT_TRUE(opened) << opened.error().message();
        return std::move(*opened);
    }
    Result<ProbeResult> measure(Prober::Session& from, std::size_t peer, const Endpoint& at,
                                ProbePlan plan = {}) {
        return run(context_, from.measure(agents_.id(peer), at, plan));
    }
    void let_run(milliseconds time) {
        context_.restart();
        context_.run_for(time);
    }

    asio::io_context context_{1};
    Agents agents_{3};
    std::unique_ptr<TcpProber> prober_a_ = prober(0);
    std::unique_ptr<TcpProber> prober_b_ = prober(1);
    std::unique_ptr<Prober::Session> a_ = open(*prober_a_, agents_.session(0));
    std::unique_ptr<Prober::Session> b_ = open(*prober_b_, agents_.session(1));
    std::vector<std::string> reports_;
};

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

TEST_F(TcpProberTest, WhoComesBeforeItIsIntroducedWaits) {
    PeerSession alone = agents_.session(0);
    const std::vector<Host> others(alone.participants.begin() + 1, alone.participants.end());
    alone.participants.resize(1);
    const auto a = open(*prober_a_, alone);
    std::optional<Result<ProbeResult>> result;
    const auto keep = [&](const std::exception_ptr&, Result<ProbeResult> measured) {
        result = std::move(measured);
        context_.stop();
    };
    asio::co_spawn(context_, b_->measure(agents_.id(0), a->endpoint(), {}), keep);
    let_run(milliseconds(300));
    EXPECT_FALSE(result);
    a->introduce(others);
    let_run(std::chrono::seconds(20));
    ASSERT_TRUE(result);
    EXPECT_TRUE(*result) << result->error().message();
    EXPECT_TRUE(measure(*a, 1, b_->endpoint()));
    EXPECT_TRUE(reports_.empty());
}

TEST_F(TcpProberTest, WhoIsIntroducedWithAnotherKeyIsTurnedAway) {
    PeerSession alone = agents_.session(0);
    Host impostor = alone.participants[1];
    impostor.key = alone.participants[2].key;
    alone.participants.resize(1);
    const auto a = open(*prober_a_, alone);
    a->introduce({impostor});
    EXPECT_FALSE(measure(*b_, 0, a->endpoint()));
}

TEST_F(TcpProberTest, BothMeasureEachOtherAtOnce) {
    std::vector<Result<ProbeResult>> results;
    const auto keep = [&](const std::exception_ptr& error, Result<ProbeResult> result) {
        ASSERT_FALSE(error);
        results.push_back(std::move(result));
        if (results.size() == 20) context_.stop();
    };
    for (int i = 0; i < 10; ++i) {
        asio::co_spawn(context_, a_->measure(agents_.id(1), b_->endpoint(), {}), keep);
        asio::co_spawn(context_, b_->measure(agents_.id(0), a_->endpoint(), {}), keep);
    }
    context_.run_for(std::chrono::seconds(20));
    ASSERT_EQ(results.size(), 20U);
    for (const auto& result : results)
        EXPECT_TRUE(result) << result.error().message();
}

TEST_F(TcpProberTest, AnotherKeyIsRefused) {
    Agents impostors(3);
    TcpProber other(context_.get_executor(), impostors.key(0), nullptr);
    const auto session = open(other, agents_.session(0));
    const auto result = measure(*session, 1, b_->endpoint());
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind, FailureKind::refused);
    EXPECT_EQ(result.error().host, "h1");
    let_run(milliseconds(50));
    ASSERT_EQ(reports_.size(), 1U);
    EXPECT_NE(reports_[0].find("127.0.0.1"), std::string::npos);
}

TEST_F(TcpProberTest, AnotherOperationIsRefused) {
    const auto session = open(*prober_a_, agents_.session(0, 2));
    const auto result = measure(*session, 1, b_->endpoint());
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind, FailureKind::refused);
}

TEST_F(TcpProberTest, TwoOperationsAtOnceAreApart) {
    const auto second_a = open(*prober_a_, agents_.session(0, 2));
    const auto second_b = open(*prober_b_, agents_.session(1, 2));
    EXPECT_TRUE(measure(*second_a, 1, second_b->endpoint()));
    EXPECT_TRUE(measure(*a_, 1, b_->endpoint()));
}

TEST_F(TcpProberTest, SilentStrangerIsClosedWithinASecondAndGetsNothing) {
    const FileDescriptor silent = stranger(b_->endpoint());
    ASSERT_TRUE(silent.open());
    EXPECT_EQ(until_closed(silent, milliseconds(1500)), "");
    let_run(milliseconds(50));
    EXPECT_EQ(reports_.size(), 1U);
}

TEST_F(TcpProberTest, GarbageIsClosedAtOnceAndReportedOnce) {
    for (int i = 0; i < 3; ++i) {
        const FileDescriptor noisy = stranger(b_->endpoint());
        const std::string garbage(100'000, 'G');
        ::send(noisy.get(), garbage.data(), garbage.size(), MSG_NOSIGNAL);
        EXPECT_EQ(until_closed(noisy, milliseconds(500)), "");
    }
    let_run(milliseconds(50));
    EXPECT_EQ(reports_.size(), 1U);
}

TEST_F(TcpProberTest, ReplayedHelloIsRefused) {
    PairKeys keys(agents_.key(0), agents_.session(0), PairPurpose::probe);
    const std::string hello =
        make_hello(*keys.of(agents_.id(1)), keys, agents_.id(1), random_bytes(hello_random_size));
    const FileDescriptor first = stranger(b_->endpoint());
    ::send(first.get(), hello.data(), hello.size(), MSG_NOSIGNAL);
    EXPECT_EQ(until_closed(first, milliseconds(300)), std::nullopt);
    const FileDescriptor second = stranger(b_->endpoint());
    ::send(second.get(), hello.data(), hello.size(), MSG_NOSIGNAL);
    EXPECT_EQ(until_closed(second, milliseconds(500)), "");
}

TEST_F(TcpProberTest, WrongProbeAfterAGenuineHelloIsNotAnswered) {
    PairKeys keys(agents_.key(0), agents_.session(0), PairPurpose::probe);
    const std::string bytes =
        make_hello(*keys.of(agents_.id(1)), keys, agents_.id(1), random_bytes(hello_random_size)) +
        std::string(sizeof(ProbeMessage), 'x');
    const FileDescriptor socket = stranger(b_->endpoint());
    ::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    const auto answer = until_closed(socket, milliseconds(500));
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->size(), welcome_size);
}

TEST_F(TcpProberTest, ManyStrangersDoNotKeepAPeerOut) {
    std::vector<FileDescriptor> crowd;
    for (std::size_t i = 0; i < max_unproven + 50; ++i)
        crowd.push_back(stranger(b_->endpoint()));
    const auto result = measure(*a_, 1, b_->endpoint());
    EXPECT_TRUE(result) << result.error().message();
}

TEST_F(TcpProberTest, WhoHoldsIsMeasuredWhenItServes) {
    b_->hold(true);
    std::optional<Result<ProbeResult>> measured;
    asio::co_spawn(context_, a_->measure(agents_.id(1), b_->endpoint(), {}),
                   [&](const std::exception_ptr&, Result<ProbeResult> result) { measured = result; });
    let_run(milliseconds(100));
    EXPECT_FALSE(measured);
    const auto served = run(context_, b_->serve(agents_.id(0), std::chrono::seconds(5)));
    EXPECT_TRUE(served) << served.error().message();
    let_run(milliseconds(50));
    ASSERT_TRUE(measured);
    EXPECT_EQ((*measured)->minima.size(), 3U);
    EXPECT_GT((*measured)->probing, Duration::zero());
}

TEST_F(TcpProberTest, WhoIsServedBeforeItComesIsWelcomedAtOnceAndThenNoMore) {
    b_->hold(true);
    std::optional<Result<void>> served;
    asio::co_spawn(context_, b_->serve(agents_.id(0), std::chrono::seconds(5)),
                   [&](const std::exception_ptr&, Result<void> result) { served = result; });
    EXPECT_TRUE(measure(*a_, 1, b_->endpoint()));
    let_run(milliseconds(50));
    EXPECT_TRUE(served && *served);
    ProbePlan plan;
    plan.timeout = milliseconds(100);
    plan.turn = milliseconds(100);
    const auto again = measure(*a_, 1, b_->endpoint(), plan);
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().kind, FailureKind::timed_out);
}

TEST_F(TcpProberTest, HoldSwitchedOffReleasesAll) {
    b_->hold(true);
    const auto prober_c = prober(2);
    const auto c = open(*prober_c, agents_.session(2));
    int measured = 0;
    const auto count = [&](const std::exception_ptr&, const Result<ProbeResult>& result) {
        EXPECT_TRUE(result);
        if (++measured == 2) context_.stop();
    };
    asio::co_spawn(context_, a_->measure(agents_.id(1), b_->endpoint(), {}), count);
    asio::co_spawn(context_, c->measure(agents_.id(1), b_->endpoint(), {}), count);
    let_run(milliseconds(100));
    EXPECT_EQ(measured, 0);
    b_->hold(false);
    let_run(std::chrono::seconds(5));
    EXPECT_EQ(measured, 2);
}

TEST_F(TcpProberTest, WhoNeverComesTimesOutAndStrangersDoNotCount) {
    b_->hold(true);
    FileDescriptor noisy = stranger(b_->endpoint());
    const std::string garbage(1000, 'G');
    ::send(noisy.get(), garbage.data(), garbage.size(), MSG_NOSIGNAL);
    const auto served = run(context_, b_->serve(agents_.id(0), milliseconds(100)));
    ASSERT_FALSE(served);
    EXPECT_EQ(served.error().kind, FailureKind::timed_out);
    EXPECT_EQ(until_closed(noisy, milliseconds(500)), "");
}

// A peer whose program ends closes its connections; one that falls silent keeps them until the time is up.
TEST_F(TcpProberTest, WhoDiesWhileServedIsOverAndWhoFallsSilentIsClosed) {
    b_->hold(true);
    PairKeys keys(agents_.key(0), agents_.session(0), PairPurpose::probe);
    const auto greet = [&] {
        const std::string hello =
            make_hello(*keys.of(agents_.id(1)), keys, agents_.id(1), random_bytes(hello_random_size));
        FileDescriptor socket = stranger(b_->endpoint());
        ::send(socket.get(), hello.data(), hello.size(), MSG_NOSIGNAL);
        return socket;
    };
    FileDescriptor dying = greet();
    EXPECT_EQ(until_closed(dying, milliseconds(100)), std::nullopt);
    asio::steady_timer death(context_, milliseconds(50));
    death.async_wait([&](auto) { dying.reset(); });
    EXPECT_TRUE(run(context_, b_->serve(agents_.id(0), std::chrono::seconds(5))));
    const FileDescriptor silent = greet();
    EXPECT_FALSE(run(context_, b_->serve(agents_.id(0), milliseconds(100))));
    const auto got = until_closed(silent, milliseconds(500));
    ASSERT_TRUE(got);
    EXPECT_EQ(got->size(), welcome_size);
}

TEST_F(TcpProberTest, EndOfTheSessionEndsItsServing) {
    b_->hold(true);
    std::optional<Result<void>> served;
    asio::co_spawn(context_, b_->serve(agents_.id(0), std::chrono::seconds(5)),
                   [&](const std::exception_ptr&, Result<void> result) { served = result; });
    let_run(milliseconds(50));
    b_.reset();
    let_run(milliseconds(50));
    ASSERT_TRUE(served);
    EXPECT_EQ(served->error().kind, FailureKind::cancelled);
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
        context_.stop();
    };
    asio::co_spawn(context_, a_->measure(agents_.id(1), silent->endpoint, {}),
                   asio::bind_cancellation_slot(cancel.slot(), ended));
    asio::steady_timer timer(context_, milliseconds(50));
    timer.async_wait([&](auto) { cancel.emit(asio::cancellation_type::terminal); });
    context_.run_for(std::chrono::seconds(2));
    EXPECT_TRUE(thrown);
}

TEST_F(TcpProberTest, EndOfTheSessionEndsItsMeasuring) {
    auto silent = listen_on({{"127.0.0.1", ""}});
    std::optional<Result<ProbeResult>> result;
    asio::co_spawn(context_, a_->measure(agents_.id(1), silent->endpoint, {}),
                   [&](const std::exception_ptr&, Result<ProbeResult> ended) { result = std::move(ended); });
    let_run(milliseconds(50));
    a_.reset();
    let_run(milliseconds(50));
    ASSERT_TRUE(result);
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
