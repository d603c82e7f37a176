// Plain streams between real agents' networks: proved as the encrypted ones are, and nothing between the two.
#include "agentd/os/plain_stream.hpp"

#include "agentd/os/loopback_agents_test.hpp"
#include "agentd/os/os_file_store.hpp"
#include "agentd/os/tls_network.hpp"

#include <cstdlib>
#include <string>

#include <boost/asio/detached.hpp>

namespace trellis {
namespace {

using loopback::Agents;
using loopback::run;

std::string drawn_text(std::size_t size) {
    std::string text(size, '\0');
    for (std::size_t i = 0; i < size; ++i)
        text[i] = static_cast<char>(i * 131 >> 7 ^ i);
    return text;
}

class PlainStreamTest : public ::testing::Test {
  protected:
    using Stream = std::unique_ptr<ByteStream>;

    void SetUp() override {
        char name[] = "/tmp/plain_stream_test-XXXXXX";
        directory_ = ::mkdtemp(name);
    }
    void TearDown() override {
        for (const char* file : {"/from", "/to"})
            (void)files_.remove(directory_ + file);
        (void)files_.remove(directory_);
    }
    std::unique_ptr<TlsNetwork> network(std::size_t index) {
        return std::make_unique<TlsNetwork>(context_.get_executor(), agents_.key(index), nullptr);
    }
    [[nodiscard]] PeerSession session(std::size_t index, bool plain) const {
        PeerSession session = agents_.session(index);
        session.plain = plain;
        return session;
    }
    Result<Stream> connect(bool here, bool there) {
        listener_ = *network_b_->listen(session(1, there));
        return run(context_, network_a_->connect(session(0, here), agents_.id(1), listener_->endpoint(),
                                                 std::chrono::seconds(3)));
    }
    // Both ends of a plain connection: `a` gives, `b` takes.
    void meet() {
        auto made = connect(true, true);
        ASSERT_TRUE(made) << made.error().message();
        a_ = std::move(*made);
        auto incoming = run(context_, listener_->accept());
        b_ = std::move(incoming->stream);
    }
    std::unique_ptr<OpenFile> file(const std::string& name, const std::string& content = "") {
        auto made = files_.create(directory_ + name);
        EXPECT_TRUE(made);
        EXPECT_TRUE((*made)->write(0, content));
        return std::move(*made);
    }
    Result<std::size_t> pull_into(OpenFile& file, std::uint64_t offset, std::size_t most) {
        auto haul = run(context_, b_->pull(most));
        if (!haul) return haul.error();
        if (!*haul) return std::size_t{0};
        EXPECT_TRUE((*haul)->put(file, offset));
        return (*haul)->size();
    }

    asio::io_context context_{1};
    Agents agents_{3};
    OsFileStore files_;
    std::string directory_;
    std::unique_ptr<TlsNetwork> network_a_ = network(0), network_b_ = network(1);
    std::unique_ptr<Network::Listener> listener_;
    Stream a_, b_;
};

TEST_F(PlainStreamTest, WhoExpectsAnotherKindOfStreamIsRefused) {
    for (const bool plain : {false, true}) {
        const auto refused = connect(plain, !plain);
        ASSERT_FALSE(refused) << plain;
        EXPECT_EQ(refused.error().kind, FailureKind::refused) << plain;
        EXPECT_TRUE(connect(plain, plain)) << plain;
    }
}

TEST_F(PlainStreamTest, AnotherKeyIsRefused) {
    const Agents impostors(3);
    TlsNetwork other(context_.get_executor(), impostors.key(0), nullptr);
    listener_ = *network_b_->listen(session(1, true));
    const auto refused = run(context_, other.connect(session(0, true), agents_.id(1), listener_->endpoint(),
                                                     std::chrono::seconds(3)));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, FailureKind::refused);
}

TEST_F(PlainStreamTest, BytesGoBothWaysAndTheEndIsSeen) {
    meet();
    ASSERT_TRUE(run(context_, a_->write("to b")));
    EXPECT_EQ(*run(context_, b_->read()), "to b");
    ASSERT_TRUE(run(context_, b_->write("to a")));
    EXPECT_EQ(*run(context_, a_->read()), "to a");
    a_->close();
    EXPECT_EQ(*run(context_, b_->read()), "");
}

// Whoever connects may speak before the other one has seen the end of the proof.
TEST_F(PlainStreamTest, WhatComesTogetherWithTheProofIsNotLost) {
    for (int i = 0; i < 50; ++i) {
        auto made = connect(true, true);
        ASSERT_TRUE(made);
        ASSERT_TRUE(run(context_, (*made)->write("early")));
        const auto incoming = run(context_, listener_->accept());
        std::string got;
        while (got.size() < 5)
            got += *run(context_, incoming->stream->read());
        EXPECT_EQ(got, "early");
    }
}

TEST_F(PlainStreamTest, WhatIsKeptBelowALinkLeavesALittleMoreSlowly) {
    meet();
    loopback::expect_to_stay_below_a_link(*a_);
}

TEST_F(PlainStreamTest, FilesGoFromOneToTheOtherWithWhatStandsBeforeThem) {
    meet();
    a_->keep_below_link(0);
    const std::string content = drawn_text(5'000'000);
    const auto from = file("/from", content), to = file("/to");
    const auto give = [&]() -> Task<void> {
        for (std::size_t at = 0; at < content.size(); at += 250'000)
            EXPECT_TRUE(co_await a_->write_file("head", *from, at, 250'000));
        a_->close();
    };
    asio::co_spawn(context_, give(), asio::detached);
    std::size_t got = 0;
    while (got < content.size()) {
        std::string head;
        while (head.size() < 4) {
            std::string part(4 - head.size(), '\0');
            head.append(part, 0, *run(context_, b_->read_into(part)));
        }
        ASSERT_EQ(head, "head") << got;
        for (std::size_t left = 250'000; left > 0;) {
            const auto size = pull_into(*to, got, left);
            ASSERT_TRUE(size && *size > 0 && *size <= left) << got;
            got += *size;
            left -= *size;
        }
    }
    EXPECT_EQ(*pull_into(*to, 0, 1), 0U);
    EXPECT_TRUE(*to->read(0, content.size() + 1) == content);
}

// Half of what comes in a second; else it would wait for all of that.
TEST_F(PlainStreamTest, LessIsGatheredWhereTheNextLinkIsIdle) {
    meet();
    const auto to = file("/to");
    b_->gather({std::chrono::seconds(1), [] { return std::uint64_t{0}; }});
    context_.restart();
    context_.run_for(std::chrono::milliseconds(200));
    ASSERT_TRUE(run(context_, a_->write(drawn_text(10'000))));
    for (std::size_t got = 0; got < 10'000;)
        got += *pull_into(*to, got, 10'000 - got);
    constexpr std::size_t second = 50'000;  // what comes in it
    ASSERT_TRUE(run(context_, a_->write(drawn_text(second * 3 / 4))));
    EXPECT_EQ(*pull_into(*to, 0, 4 * second), second * 3 / 4);
}

TEST_F(PlainStreamTest, AHaulThatNobodyWantsLeavesNothingForTheNextOne) {
    meet();
    const auto to = file("/to");
    ASSERT_TRUE(run(context_, a_->write("unwanted")));
    ASSERT_EQ((*run(context_, b_->pull(8)))->size(), 8U);
    ASSERT_TRUE(run(context_, a_->write("wanted")));
    EXPECT_EQ(*pull_into(*to, 3, 6), 6U);
    EXPECT_EQ(*to->read(3, 100), "wanted");
}

TEST_F(PlainStreamTest, AFileThatIsTooShortIsAFailure) {
    meet();
    const auto from = file("/from", "short");
    EXPECT_FALSE(run(context_, a_->write_file("", *from, 0, 100)));
}

TEST_F(PlainStreamTest, ClosingEndsAPullThatWaits) {
    meet();
    std::optional<FailureKind> kind;
    const auto pull = [&]() -> Task<void> {
        const auto haul = co_await b_->pull(100);
        kind = haul ? FailureKind::invalid : haul.error().kind;
    };
    asio::co_spawn(context_, pull(), asio::detached);
    context_.restart();
    context_.run_for(std::chrono::milliseconds(20));
    EXPECT_FALSE(kind);
    b_->close();
    ASSERT_TRUE(loopback::run_until(context_, [&] { return kind.has_value(); }));
    EXPECT_EQ(kind, FailureKind::cancelled);
}

}  // namespace
}  // namespace trellis
