// Who takes no part, or in another operation, is not answered.
#include "agentd/core/pair_hello.hpp"
#include "agentd/core/probe_message.hpp"
#include "agentd/os/tcp_prober_test.hpp"

namespace trellis {
namespace {

TEST_F(TcpProberTest, AnotherKeyIsRefused) {
    Agents impostors(3);
    TcpProber other(context_.get_executor(), impostors.key(0), nullptr);
    const auto session = open(other, agents_.session(0));
    const auto result = measure(*session, 1, b_->endpoint());
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind, FailureKind::refused);
    EXPECT_EQ(result.error().host, "h1");
    ASSERT_TRUE(until([&] { return reports_.size() == 1; }));
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

TEST_F(TcpProberTest, WhoIsIntroducedWithAnotherKeyIsTurnedAway) {
    PeerSession alone = agents_.session(0);
    Host impostor = alone.participants[1];
    impostor.key = alone.participants[2].key;
    alone.participants.resize(1);
    const auto a = open(*prober_a_, alone);
    a->introduce({impostor});
    EXPECT_FALSE(measure(*b_, 0, a->endpoint()));
}

TEST_F(TcpProberTest, SilentStrangerIsClosedAndGetsNothing) {
    const FileDescriptor silent = stranger(b_->endpoint());
    ASSERT_TRUE(silent.open());
    EXPECT_EQ(until_closed(silent), "");
    EXPECT_TRUE(until([&] { return reports_.size() == 1; }));
}

TEST_F(TcpProberTest, GarbageIsClosedAtOnceAndReportedOnce) {
    for (int i = 0; i < 3; ++i) {
        const FileDescriptor noisy = stranger(b_->endpoint());
        const std::string garbage(100'000, 'G');
        ::send(noisy.get(), garbage.data(), garbage.size(), MSG_NOSIGNAL);
        EXPECT_EQ(until_closed(noisy), "");
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
    EXPECT_EQ(until_closed(second), "");
}

TEST_F(TcpProberTest, WrongProbeAfterAGenuineHelloIsNotAnswered) {
    PairKeys keys(agents_.key(0), agents_.session(0), PairPurpose::probe);
    const std::string bytes =
        make_hello(*keys.of(agents_.id(1)), keys, agents_.id(1), random_bytes(hello_random_size)) +
        std::string(sizeof(ProbeMessage), 'x');
    const FileDescriptor socket = stranger(b_->endpoint());
    ::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    const auto answer = until_closed(socket);
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

}  // namespace
}  // namespace trellis
