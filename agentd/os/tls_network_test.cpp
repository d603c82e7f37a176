#include "agentd/os/tls_network.hpp"

#include "agentd/core/pair_hello.hpp"
#include "agentd/os/loopback_agents_test.hpp"
#include "agentd/os/tls_stream.hpp"

#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>

namespace trellis {
namespace {

using loopback::Agents;
using loopback::run;
using loopback::stranger;
using loopback::until_closed;
using std::chrono::milliseconds;
using Stream = std::unique_ptr<ByteStream>;

constexpr std::chrono::seconds patience{3};

class TlsNetworkTest : public ::testing::Test {
  protected:
    std::unique_ptr<TlsNetwork> network(std::size_t index) {
        return std::make_unique<TlsNetwork>(
            context_.get_executor(), agents_.key(index),
            [this](OperationId, const std::string& text) { reports_.push_back(text); });
    }
    std::unique_ptr<Network::Listener> listen() {
        auto listener = network_b_->listen(agents_.session(1));
        EXPECT_TRUE(listener) << listener.error().message();
        return std::move(*listener);
    }
    Result<Stream> connect(const PeerSession& session, const Endpoint& at) {
        return run(context_, network_a_->connect(session, agents_.id(1), at, patience));
    }
    Result<Stream> connect() { return connect(agents_.session(0), listener_->endpoint()); }
    Network::Incoming accept() {
        auto incoming = run(context_, listener_->accept());
        EXPECT_TRUE(incoming);
        return std::move(*incoming);
    }
    void let_run(milliseconds time) {
        context_.restart();
        context_.run_for(time);
    }
    bool until(const auto& done) { return loopback::run_until(context_, done); }
    // Until it is read as the first of `got`.
    void write_much_after_a_while(ByteStream& to, const std::vector<Result<std::string>>& got) {
        let_run(milliseconds(800));
        ASSERT_TRUE(run(context_, to.write(std::string(12'000, 'x'))));
        ASSERT_TRUE(until([&] { return got.size() == 1; }));
    }
    FileDescriptor stranger_with(const std::string& bytes) {
        FileDescriptor socket = stranger(listener_->endpoint());
        ::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
        return socket;
    }
    // What the other side does with a stranger's bytes, while the agents' loop runs.
    std::optional<std::string> answer_to(const std::string& bytes) {
        const FileDescriptor socket = stranger_with(bytes);
        pollfd waits{socket.get(), POLLIN, 0};
        until([&] { return ::poll(&waits, 1, 0) > 0; });
        return until_closed(socket, milliseconds(1));
    }

    asio::io_context context_{1};
    Agents agents_{3};
    std::vector<std::string> reports_;
    std::unique_ptr<TlsNetwork> network_a_ = network(0);
    std::unique_ptr<TlsNetwork> network_b_ = network(1);
    std::unique_ptr<Network::Listener> listener_ = listen();
};

Task<Result<void>> write_all(ByteStream& to, std::string bytes) {
    Result<void> written = co_await to.write(std::move(bytes));
    to.close();
    co_return written;
}

Task<std::string> read_all(ByteStream& from) {
    std::string all;
    while (true) {
        Result<std::string> part = co_await from.read();
        if (!part) co_return "failed: " + part.error().message();
        if (part->empty()) co_return all;
        all += *part;
    }
}

TEST_F(TlsNetworkTest, BytesGoBothWaysAndTheEndIsSeen) {
    const auto a = connect();
    ASSERT_TRUE(a) << a.error().message();
    const auto incoming = accept();
    EXPECT_EQ(incoming.peer, agents_.id(0));
    ASSERT_TRUE(run(context_, (*a)->write("to b")));
    EXPECT_EQ(*run(context_, incoming.stream->read()), "to b");
    ASSERT_TRUE(run(context_, incoming.stream->write("to a")));
    EXPECT_EQ(*run(context_, (*a)->read()), "to a");
    (*a)->close();
    EXPECT_EQ(*run(context_, incoming.stream->read()), "");
    EXPECT_TRUE(reports_.empty());
}

TEST_F(TlsNetworkTest, MegabytesArriveWhole) {
    const auto a = connect();
    ASSERT_TRUE(a);
    const auto incoming = accept();
    std::string sent;
    sent.resize(20'000'000);
    for (std::size_t i = 0; i < sent.size(); ++i)
        sent[i] = static_cast<char>(i * 31 >> 5);
    asio::co_spawn(context_, write_all(**a, sent), asio::detached);
    EXPECT_TRUE(run(context_, read_all(*incoming.stream)) == sent);
}

TEST_F(TlsNetworkTest, WhatIsKeptBelowALinkLeavesALittleMoreSlowly) {
    const auto a = connect();
    const auto incoming = accept();
    loopback::expect_to_stay_below_a_link(**a);
}

TEST_F(TlsNetworkTest, GatheringHoldsNothingBack) {
    const auto a = connect();
    ASSERT_TRUE(a);
    const auto incoming = accept();
    incoming.stream->gather({milliseconds(2), {}});
    std::string sent;
    sent.resize(3'000'000, 'x');
    sent += "end";
    asio::co_spawn(context_, write_all(**a, sent), asio::detached);
    EXPECT_TRUE(run(context_, read_all(*incoming.stream)) == sent);
}

Task<void> read_two(ByteStream& from, std::vector<Result<std::string>>& got) {
    for (int i = 0; i < 2; ++i) {
        Result<std::string> bytes = co_await from.read();
        got.push_back(std::move(bytes));
    }
}

// How many bytes come; `before`: when whatever else wants to run has its first turn.
Task<std::size_t> count_all(ByteStream& from, std::size_t& before) {
    std::string space(100'000, '\0');
    std::size_t count = 0;
    asio::post(co_await asio::this_coro::executor, [&] { before = count; });
    while (true) {
        const Result<std::size_t> size = co_await from.read_into(space);
        if (!size || *size == 0) co_return count;
        count += *size;
    }
}

TEST_F(TlsNetworkTest, OthersHaveTheirTurnWhileMuchIsThere) {
    const auto a = connect();
    ASSERT_TRUE(a);
    const auto incoming = accept();
    constexpr std::size_t much = 3'000'000;
    asio::co_spawn(context_, write_all(**a, std::string(much, 'x')), asio::detached);
    let_run(milliseconds(50));
    std::size_t before = 0;
    EXPECT_EQ(run(context_, count_all(*incoming.stream, before)), much);
    EXPECT_GT(before, 0U);
    EXPECT_LT(before, 600'000U);
}

// Much has come after a while, so that more is waited for, for as long as it seems to take.
TEST_F(TlsNetworkTest, ClosingEndsGathering) {
    const auto a = connect();
    ASSERT_TRUE(a);
    const auto incoming = accept();
    incoming.stream->gather({std::chrono::hours(1), {}});
    std::vector<Result<std::string>> got;
    asio::co_spawn(context_, read_two(*incoming.stream, got), asio::detached);
    write_much_after_a_while(**a, got);
    ASSERT_TRUE(run(context_, (*a)->write("more")));
    let_run(milliseconds(20));
    ASSERT_EQ(got.size(), 1u);
    incoming.stream->close();
    ASSERT_TRUE(until([&] { return got.size() == 2; }));
    ASSERT_FALSE(got[1]);
    EXPECT_EQ(got[1].error().kind, FailureKind::cancelled);
}

// A fourth of what it would be else: though it begins later, it ends earlier.
TEST_F(TlsNetworkTest, LittleIsGatheredWhereTheNextLinkIsIdle) {
    const auto a = connect();
    const auto busy = accept();
    const auto b = connect();
    const auto idle = accept();
    ASSERT_TRUE(a && b);
    busy.stream->gather({milliseconds(4000), [] { return std::uint64_t{1'000'000}; }});
    idle.stream->gather({milliseconds(4000), [] { return std::uint64_t{0}; }});
    std::vector<Result<std::string>> got_busy, got_idle;
    asio::co_spawn(context_, read_two(*busy.stream, got_busy), asio::detached);
    asio::co_spawn(context_, read_two(*idle.stream, got_idle), asio::detached);
    write_much_after_a_while(**a, got_busy);
    ASSERT_TRUE(run(context_, (*a)->write("more")));
    write_much_after_a_while(**b, got_idle);
    ASSERT_TRUE(run(context_, (*b)->write("more")));
    EXPECT_TRUE(until([&] { return got_idle.size() == 2; }));
    EXPECT_EQ(got_busy.size(), 1U);
    busy.stream->close();
    EXPECT_TRUE(until([&] { return got_busy.size() == 2; }));
}

TEST_F(TlsNetworkTest, WhatTheOtherSystemHasIsDeliveredThoughNobodyReadsIt) {
    const auto a = connect();
    ASSERT_TRUE(a);
    const auto incoming = accept();
    const auto before = (*a)->delivered();
    ASSERT_TRUE(before);
    ASSERT_TRUE(run(context_, (*a)->write(std::string(10'000, 'x'))));
    for (int i = 0; i < 100 && *(*a)->delivered() < *before + 10'000; ++i)
        let_run(milliseconds(20));
    EXPECT_GE(*(*a)->delivered(), *before + 10'000);
    EXPECT_LE(*(*a)->delivered(), *before + 11'000);
    EXPECT_EQ((*a)->undelivered(), 0U);
    (*a)->abort();
    EXPECT_FALSE((*a)->delivered());
    EXPECT_FALSE((*a)->undelivered());
}

TEST_F(TlsNetworkTest, AConnectionThatIsCutOffIsNotAnEnd) {
    auto a = connect();
    ASSERT_TRUE(a);
    const auto incoming = accept();
    // As when the process dies: the socket goes without a farewell.
    (*a)->abort();
    const auto got = run(context_, incoming.stream->read());
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().kind, FailureKind::lost);
}

TEST_F(TlsNetworkTest, ClosingEndsAPendingRead) {
    const auto a = connect();
    ASSERT_TRUE(a);
    std::optional<Result<std::string>> got;
    asio::co_spawn(context_, (*a)->read(),
                   [&](const std::exception_ptr&, Result<std::string> result) { got = std::move(result); });
    let_run(milliseconds(20));
    EXPECT_FALSE(got);
    (*a)->close();
    ASSERT_TRUE(until([&] { return got.has_value(); }));
    EXPECT_EQ(got->error().kind, FailureKind::cancelled);
}

TEST_F(TlsNetworkTest, AnotherKeyIsRefused) {
    const Agents impostors(3);
    TlsNetwork other(context_.get_executor(), impostors.key(0), nullptr);
    const auto result =
        run(context_, other.connect(agents_.session(0), agents_.id(1), listener_->endpoint(), patience));
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind, FailureKind::refused);
    EXPECT_EQ(result.error().host, "h1");
    EXPECT_TRUE(until([&] { return reports_.size() == 1; }));
}

TEST_F(TlsNetworkTest, AListenerWithAnotherKeyIsRefused) {
    const Agents impostors(3);
    TlsNetwork other(context_.get_executor(), impostors.key(1), nullptr);
    const auto listener = other.listen(agents_.session(1));
    ASSERT_TRUE(listener);
    const auto result = connect(agents_.session(0), (*listener)->endpoint());
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind, FailureKind::refused);
}

TEST_F(TlsNetworkTest, AnotherOperationIsRefused) {
    EXPECT_FALSE(connect(agents_.session(0, 7), listener_->endpoint()));
}

TEST_F(TlsNetworkTest, StrangersAreClosedWithoutAByteAndReportedOnce) {
    EXPECT_EQ(answer_to(""), "");
    EXPECT_EQ(answer_to(std::string(100'000, 'G')), "");
    EXPECT_EQ(answer_to("\x16\x03\x01\x02"), "");
    EXPECT_EQ(reports_.size(), 1U);
}

TEST_F(TlsNetworkTest, AHelloServesOnce) {
    PairKeys keys(agents_.key(0), agents_.session(0), PairPurpose::stream);
    const std::string hello =
        make_hello(*keys.of(agents_.id(1)), keys, agents_.id(1), random_bytes(hello_random_size));
    {
        const FileDescriptor first = stranger_with(hello);
        let_run(milliseconds(100));
        EXPECT_EQ(until_closed(first, milliseconds(1)), std::nullopt);
    }
    let_run(milliseconds(50));
    EXPECT_TRUE(reports_.empty()) << reports_.front();  // it has ended, but was no stranger
    EXPECT_EQ(answer_to(hello), "");
    EXPECT_EQ(reports_.size(), 1U);
}

TEST_F(TlsNetworkTest, ManyStrangersDoNotKeepAPeerOut) {
    std::vector<FileDescriptor> crowd;
    for (std::size_t i = 0; i < max_unproven + 50; ++i)
        crowd.push_back(stranger(listener_->endpoint()));
    EXPECT_TRUE(connect());
}

TEST_F(TlsNetworkTest, ManyPeersAtOnce) {
    std::vector<Stream> streams;
    const PeerSession session = agents_.session(0);
    const auto keep = [&](const std::exception_ptr&, Result<Stream> stream) {
        EXPECT_TRUE(stream);
        if (stream) streams.push_back(std::move(*stream));
    };
    for (int i = 0; i < 64; ++i) {
        asio::co_spawn(context_, network_a_->connect(session, agents_.id(1), listener_->endpoint(), patience),
                       keep);
    }
    ASSERT_TRUE(until([&] { return streams.size() == 64; }));
    for (int i = 0; i < 64; ++i)
        EXPECT_EQ(accept().peer, agents_.id(0));
}

TEST_F(TlsNetworkTest, NothingListensAfterClosing) {
    const Endpoint endpoint = listener_->endpoint();
    listener_->close();
    EXPECT_FALSE(stranger(endpoint).open());
    const auto ended = run(context_, listener_->accept());
    ASSERT_FALSE(ended);
    EXPECT_EQ(ended.error().kind, FailureKind::cancelled);
    const auto result = connect(agents_.session(0), endpoint);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind, FailureKind::unreachable);
    EXPECT_NE(result.error().message().find("Connection refused"), std::string::npos);
}

TEST_F(TlsNetworkTest, ASilentAddressLeavesTimeForTheNext) {
    auto silent = listen_on({{"127.0.0.9", ""}});
    ASSERT_TRUE(silent);
    const auto timed_out = run(context_, network_a_->connect(agents_.session(0), agents_.id(1),
                                                             silent->endpoint, milliseconds(200)));
    ASSERT_FALSE(timed_out);
    EXPECT_EQ(timed_out.error().kind, FailureKind::timed_out);
    Endpoint nowhere;
    EXPECT_FALSE(connect(agents_.session(0), nowhere));
    Endpoint two = listener_->endpoint();
    two.addresses = {{"127.0.0.9", ""}, {"::1", ""}, {"127.0.0.1", ""}};
    EXPECT_TRUE(connect(agents_.session(0), two));
}

}  // namespace
}  // namespace trellis
