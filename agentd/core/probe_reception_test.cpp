#include "agentd/core/probe_reception.hpp"

#include <utility>

#include <gtest/gtest.h>

namespace trellis {
namespace {

class ReceivedGuest final : public ProbeReception::Guest {
  public:
    ReceivedGuest(ProbeReception& reception, std::uint32_t peer) : reception_(reception), peer_{peer} {
        reception_.arrived(*this);
    }
    ~ReceivedGuest() { go(); }
    ReceivedGuest(const ReceivedGuest&) = delete;
    ReceivedGuest& operator=(const ReceivedGuest&) = delete;

    void go() {
        if (!std::exchange(gone_, true)) reception_.left(*this);
    }
    [[nodiscard]] HostId peer() const override { return peer_; }
    void welcome() override { ++welcomes; }
    void dismiss() override {
        dismissed = true;
        go();
    }
    int welcomes = 0;
    bool dismissed = false;

  private:
    ProbeReception& reception_;
    HostId peer_;
    bool gone_ = false;
};

class ProbeReceptionTest : public testing::Test {
  protected:
    void serve(std::uint32_t peer) {
        reception_.serve(HostId{peer}, [this] { ++over_; });
    }
    ProbeReception reception_;
    int over_ = 0;
};

TEST_F(ProbeReceptionTest, EverybodyIsWelcomeUnlessItHolds) {
    const ReceivedGuest before(reception_, 1);
    EXPECT_EQ(before.welcomes, 1);
    reception_.hold(true);
    const ReceivedGuest held(reception_, 1);
    EXPECT_EQ(held.welcomes, 0);
    reception_.hold(false);
    EXPECT_EQ(held.welcomes, 1);
    EXPECT_EQ(before.welcomes, 1);
}

TEST_F(ProbeReceptionTest, ServesOnePeerWhetherItCameBeforeOrComesAfter) {
    reception_.hold(true);
    const ReceivedGuest first(reception_, 1), other(reception_, 2);
    serve(1);
    const ReceivedGuest second(reception_, 1);
    EXPECT_EQ(first.welcomes, 1);
    EXPECT_EQ(second.welcomes, 1);
    EXPECT_EQ(other.welcomes, 0);
}

TEST_F(ProbeReceptionTest, AMeasurementIsOverWithItsLastConnection) {
    reception_.hold(true);
    ReceivedGuest first(reception_, 1), second(reception_, 1);
    serve(1);
    first.go();
    EXPECT_EQ(over_, 0);
    second.go();
    EXPECT_EQ(over_, 1);
    const ReceivedGuest again(reception_, 1);
    EXPECT_EQ(again.welcomes, 0);
}

TEST_F(ProbeReceptionTest, OthersThatGoEndNothing) {
    reception_.hold(true);
    ReceivedGuest other(reception_, 2);
    serve(1);
    other.go();
    EXPECT_EQ(over_, 0);
}

TEST_F(ProbeReceptionTest, AWithdrawnPeerIsDismissedWithoutAnEnd) {
    reception_.hold(true);
    const ReceivedGuest first(reception_, 1), other(reception_, 2);
    serve(1);
    const ReceivedGuest second(reception_, 1);
    reception_.withdraw(HostId{1});
    EXPECT_TRUE(first.dismissed && second.dismissed);
    EXPECT_FALSE(other.dismissed);
    EXPECT_EQ(over_, 0);
}

TEST_F(ProbeReceptionTest, WithdrawingAfterTheEndTurnsNobodyAway) {
    reception_.hold(true);
    ReceivedGuest first(reception_, 1);
    serve(1);
    first.go();
    const ReceivedGuest next(reception_, 1);
    reception_.withdraw(HostId{1});
    EXPECT_FALSE(next.dismissed);
}

}  // namespace
}  // namespace trellis
