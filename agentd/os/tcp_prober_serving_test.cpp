// Hosts that hold their peers until they serve them.
#include "agentd/core/pair_hello.hpp"
#include "agentd/core/probe_message.hpp"
#include "agentd/os/tcp_prober_test.hpp"

#include <boost/asio/steady_timer.hpp>

namespace trellis {
namespace {

TEST_F(TcpProberTest, WhoComesBeforeItIsIntroducedWaits) {
    PeerSession alone = agents_.session(0);
    const std::vector<Host> others(alone.participants.begin() + 1, alone.participants.end());
    alone.participants.resize(1);
    const auto a = open(*prober_a_, alone);
    std::optional<Result<ProbeResult>> result;
    const auto keep = [&](const std::exception_ptr&, Result<ProbeResult> measured) {
        result = std::move(measured);
    };
    asio::co_spawn(context_, b_->measure(agents_.id(0), a->endpoint(), {}), keep);
    let_run(milliseconds(300));
    EXPECT_FALSE(result);
    a->introduce(others);
    ASSERT_TRUE(until([&] { return result.has_value(); }));
    EXPECT_TRUE(*result) << result->error().message();
    EXPECT_TRUE(measure(*a, 1, b_->endpoint()));
    EXPECT_TRUE(reports_.empty());
}

TEST_F(TcpProberTest, WhoHoldsIsMeasuredWhenItServes) {
    b_->hold(true);
    std::optional<Result<ProbeResult>> measured;
    asio::co_spawn(context_, a_->measure(agents_.id(1), b_->endpoint(), {}),
                   [&](const std::exception_ptr&, const Result<ProbeResult>& result) { measured = result; });
    let_run(milliseconds(100));
    EXPECT_FALSE(measured);
    const auto served = run(context_, b_->serve(agents_.id(0), std::chrono::seconds(5)));
    EXPECT_TRUE(served) << served.error().message();
    ASSERT_TRUE(until([&] { return measured.has_value(); }));
    EXPECT_EQ((*measured)->minima.size(), 3U);
    EXPECT_GT((*measured)->probing, Duration::zero());
}

TEST_F(TcpProberTest, WhoIsServedBeforeItComesIsWelcomedAtOnceAndThenNoMore) {
    b_->hold(true);
    std::optional<Result<void>> served;
    asio::co_spawn(context_, b_->serve(agents_.id(0), std::chrono::seconds(5)),
                   [&](const std::exception_ptr&, const Result<void>& result) { served = result; });
    EXPECT_TRUE(measure(*a_, 1, b_->endpoint()));
    EXPECT_TRUE(until([&] { return served.has_value(); }) && *served);
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
        ++measured;
    };
    asio::co_spawn(context_, a_->measure(agents_.id(1), b_->endpoint(), {}), count);
    asio::co_spawn(context_, c->measure(agents_.id(1), b_->endpoint(), {}), count);
    let_run(milliseconds(100));
    EXPECT_EQ(measured, 0);
    b_->hold(false);
    EXPECT_TRUE(until([&] { return measured == 2; }));
}

TEST_F(TcpProberTest, WhoNeverComesTimesOutAndStrangersDoNotCount) {
    b_->hold(true);
    FileDescriptor noisy = stranger(b_->endpoint());
    const std::string garbage(1000, 'G');
    ::send(noisy.get(), garbage.data(), garbage.size(), MSG_NOSIGNAL);
    const auto served = run(context_, b_->serve(agents_.id(0), milliseconds(100)));
    ASSERT_FALSE(served);
    EXPECT_EQ(served.error().kind, FailureKind::timed_out);
    EXPECT_EQ(until_closed(noisy), "");
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
    const auto got = until_closed(silent);
    ASSERT_TRUE(got);
    EXPECT_EQ(got->size(), welcome_size);
}

TEST_F(TcpProberTest, EndOfTheSessionEndsItsServing) {
    b_->hold(true);
    std::optional<Result<void>> served;
    asio::co_spawn(context_, b_->serve(agents_.id(0), std::chrono::seconds(5)),
                   [&](const std::exception_ptr&, const Result<void>& result) { served = result; });
    let_run(milliseconds(50));
    b_.reset();
    ASSERT_TRUE(until([&] { return served.has_value(); }));
    EXPECT_EQ(served->error().kind, FailureKind::cancelled);
}

}  // namespace
}  // namespace trellis
