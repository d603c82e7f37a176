// Messages between participants, over real sockets and over a control tree that is a queue per agent.
#include "agentd/data/peer_messenger.hpp"

#include "trellis/message.hpp"

#include "agentd/core/mailbox.hpp"
#include "agentd/os/loopback_agents_test.hpp"
#include "agentd/os/os_file_store.hpp"
#include "agentd/os/steady_clock.hpp"
#include "agentd/os/tcp_prober.hpp"
#include "agentd/os/tls_network.hpp"

#include <map>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>

namespace trellis {
namespace {

using loopback::Agents;
using std::chrono::milliseconds;

struct NoProcesses : Processes {
    Result<std::unique_ptr<Process>> start(const ProcessSpec&) override { return Failure{}; }
};
struct NoSpawner : Spawner {
    Task<Result<std::unique_ptr<Link>>> spawn(SpawnRequest, LoginAuthority&,
                                              std::unique_ptr<ByteStream>) override {
        co_return Failure{};
    }
};
struct NoDialer : Dialer {
    Task<Result<std::unique_ptr<ByteStream>>> dial(std::string, std::uint16_t, Duration) override {
        co_return Failure{};
    }
};

class TreeContext;
using Tree = std::map<HostId, TreeContext*>;

// An agent's side of an operation whose tree delivers at once.
class TreeContext : public RoleContext {
  public:
    TreeContext(const World& world, PeerSession peers, Tree& tree)
        : world_(world), peers_(std::move(peers)), tree_(tree), inbox_(world.executor) {
        tree_[peers_.self] = this;
    }
    [[nodiscard]] const World& world() const override { return world_; }
    [[nodiscard]] const std::string& request() const override { return request_; }
    [[nodiscard]] const PeerSession& peers() const override { return peers_; }
    Task<Result<RoleMessage>> receive() override {
        Result<RoleMessage> message = co_await inbox_.pop();
        co_return message;
    }
    void send(HostId to, std::string body) override {
        ++sent;
        if (to == root_id) {
            to_root.push_back(body);
        } else {
            tree_.at(to)->inbox_.push(RoleMessage{peers_.self, std::move(body)});
        }
    }
    void from_root(Result<RoleMessage> message) { inbox_.push(std::move(message)); }
    Task<Result<void>> write(std::uint32_t, std::string) override { co_return Failure{}; }
    void finish(std::uint32_t) override {}
    Task<Result<std::string>> read(std::uint32_t) override { co_return Failure{}; }
    void on_cancel(std::function<void(CancelLevel)>) override {}

    int sent = 0;
    std::vector<std::string> to_root;

  private:
    World world_;
    PeerSession peers_;
    Tree& tree_;
    std::string request_;
    Mailbox<Result<RoleMessage>> inbox_;
};

struct MessagingAgent {
    MessagingAgent(asio::io_context& context, const Agents& agents, std::size_t index, Tree& tree,
                   const std::shared_ptr<const SessionKey>& key)
        : prober(context.get_executor(), key, nullptr),
          network(context.get_executor(), key, nullptr),
          role_context(
              World{context.get_executor(), clock, processes, prober, network, spawner, dialer, files},
              agents.session(index), tree) {}
    SteadyClock clock;
    NoProcesses processes;
    NoSpawner spawner;
    NoDialer dialer;
    OsFileStore files;
    TcpProber prober;
    TlsNetwork network;
    TreeContext role_context;
};

class PeerMessengerTest : public ::testing::Test {
  protected:
    std::unique_ptr<MessagingAgent> agent(std::size_t index) {
        return std::make_unique<MessagingAgent>(context_, agents_, index, tree_, agents_.key(index));
    }
    RoleResult run_beside(PeerMessenger& messenger, Task<RoleResult> work) {
        Task<RoleResult> running = messenger.run(std::move(work));
        return loopback::run(context_, std::move(running));
    }

    asio::io_context context_{1};
    Agents agents_{2};
    Tree tree_;
    std::unique_ptr<MessagingAgent> a_ = agent(0);
    std::unique_ptr<MessagingAgent> b_ = agent(1);
    PeerPatience patience_{milliseconds(500), milliseconds(300)};
};

// Sends `count` messages and reports the ways that they took: 'd' or 't' each.
Task<RoleResult> send_many(PeerMessenger& messenger, HostId to, int count, std::size_t size) {
    RoleResult result;
    for (int i = 0; i < count; ++i) {
        const Result<PeerWay> way = co_await messenger.send(to, std::to_string(i) + std::string(size, '.'));
        result.body += !way ? '!' : *way == PeerWay::direct ? 'd' : 't';
    }
    co_return result;
}

Task<RoleResult> receive_many(PeerMessenger& messenger, int count) {
    RoleResult result;
    for (int i = 0; i < count; ++i) {
        const Result<PeerMessage> message = co_await messenger.receive();
        if (!message) co_return RoleResult{Outcome::of(message.error()), result.body};
        result.body += message->body.substr(0, message->body.find('.'));
        result.body += message->way == PeerWay::direct ? 'd' : 't';
    }
    co_return result;
}

TEST_F(PeerMessengerTest, GoesStraightToAPeerThatListens) {
    PeerMessenger a(a_->role_context, patience_);
    PeerMessenger b(b_->role_context, patience_);
    a.learn(agents_.id(1), b.endpoint());
    std::string ways;
    asio::co_spawn(context_, a.run(send_many(a, agents_.id(1), 3, 10)),
                   [&](const std::exception_ptr&, const RoleResult& result) { ways = result.body; });
    EXPECT_EQ(run_beside(b, receive_many(b, 3)).body, "0d1d2d");
    ASSERT_TRUE(loopback::run_until(context_, [&] { return !ways.empty(); }));
    EXPECT_EQ(ways.substr(0, 2), "dd");  // the third may end with b
}

TEST_F(PeerMessengerTest, AnswersOnTheConnectionThatThePeerMade) {
    PeerMessenger a(a_->role_context, patience_);
    PeerMessenger b(b_->role_context, patience_);
    a.learn(agents_.id(1), b.endpoint());
    const auto ask = [](PeerMessenger& messenger, HostId to) -> Task<RoleResult> {
        co_await messenger.send(to, "question");
        co_return co_await receive_many(messenger, 1);
    };
    const auto answer = [](PeerMessenger& messenger, HostId to) -> Task<RoleResult> {
        co_await messenger.receive();
        co_return co_await send_many(messenger, to, 1, 10);
    };
    asio::co_spawn(context_, b.run(answer(b, agents_.id(0))), asio::detached);
    EXPECT_EQ(run_beside(a, ask(a, agents_.id(1))).body, "0d");
}

TEST_F(PeerMessengerTest, TakesTheTreeWhereThePeerIsUnknown) {
    PeerMessenger a(a_->role_context, patience_);
    PeerMessenger b(b_->role_context, patience_);
    EXPECT_EQ(run_beside(a, send_many(a, agents_.id(1), 2, 10)).body, "tt");
    EXPECT_EQ(run_beside(b, receive_many(b, 2)).body, "0t1t");
}

TEST_F(PeerMessengerTest, TakesTheTreeWhereThePeerDoesNotAnswer) {
    auto silent = listen_on({{"127.0.0.1", ""}});
    PeerMessenger a(a_->role_context, patience_);
    PeerMessenger b(b_->role_context, patience_);
    a.learn(agents_.id(1), silent->endpoint);
    EXPECT_EQ(run_beside(a, send_many(a, agents_.id(1), 2, 10)).body, "tt");
    EXPECT_EQ(run_beside(b, receive_many(b, 2)).body, "0t1t");
}

// Accepts the connection and reads, but never answers: the message goes twice and counts once.
TEST_F(PeerMessengerTest, AMessageWithoutAnswerGoesOverTheTreeToo) {
    const auto listener = b_->network.listen(agents_.session(1));
    PeerMessenger a(a_->role_context, patience_);
    a.learn(agents_.id(1), (*listener)->endpoint());
    EXPECT_EQ(run_beside(a, send_many(a, agents_.id(1), 1, 10)).body, "t");
    EXPECT_EQ(a_->role_context.sent, 1);
}

// The wire formats, as a peer would write them.
struct OnTheWire {
    std::uint64_t sequence = 0;
    bool arrived = false;
    std::string body;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(sequence, arrived, body);
    }
};
struct OnTheTree {
    std::uint64_t sequence = 0;
    std::string body;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(sequence, body);
    }
};

TEST_F(PeerMessengerTest, WhatComesBothWaysCountsOnce) {
    PeerMessenger b(b_->role_context, patience_);
    auto stream = loopback::run(
        context_, a_->network.connect(agents_.session(0), agents_.id(1), b.endpoint(), milliseconds(500)));
    ASSERT_TRUE(stream);
    MessageStream direct(context_.get_executor(), std::move(*stream));
    const OnTheWire once{0, false, "once."};
    const OnTheWire next{1, false, "next."};
    ASSERT_TRUE(loopback::run(context_, direct.send(encode(once))));
    const OnTheTree again{0, "once."};
    a_->role_context.send(agents_.id(1), encode(again));
    ASSERT_TRUE(loopback::run(context_, direct.send(encode(once))));
    ASSERT_TRUE(loopback::run(context_, direct.send(encode(next))));
    const std::string got = run_beside(b, receive_many(b, 2)).body;
    EXPECT_TRUE(got == "oncednextd" || got == "oncetnextd") << got;
}

TEST_F(PeerMessengerTest, LargeMessagesFromManySendersAtOnce) {
    PeerMessenger a(a_->role_context, PeerPatience{});
    PeerMessenger b(b_->role_context, PeerPatience{});
    a.learn(agents_.id(1), b.endpoint());
    const auto send_all = [](PeerMessenger& messenger, HostId to) -> Task<RoleResult> {
        for (int i = 0; i < 4; ++i) {
            asio::co_spawn(co_await asio::this_coro::executor, send_many(messenger, to, 4, 1'000'000),
                           asio::detached);
        }
        co_return co_await receive_many(messenger, 1);
    };
    const auto take_all = [](PeerMessenger& messenger, HostId to) -> Task<RoleResult> {
        RoleResult result = co_await receive_many(messenger, 16);
        co_await messenger.send(to, "done.");
        co_return result;
    };
    std::string got;
    asio::co_spawn(context_, b.run(take_all(b, agents_.id(0))),
                   [&](const std::exception_ptr&, const RoleResult& result) { got = result.body; });
    EXPECT_EQ(run_beside(a, send_all(a, agents_.id(1))).body.substr(0, 4), "done");
    ASSERT_TRUE(loopback::run_until(context_, [&] { return !got.empty(); }));
    EXPECT_EQ(got.size(), 32U);
    EXPECT_EQ(got.find('t'), std::string::npos);
}

TEST_F(PeerMessengerTest, TheRootIsReachedAndHeardOverTheTree) {
    PeerMessenger a(a_->role_context, patience_);
    a_->role_context.from_root(RoleMessage{root_id, "go."});
    EXPECT_EQ(run_beside(a, receive_many(a, 1)).body, "got");
    EXPECT_EQ(run_beside(a, send_many(a, root_id, 1, 0)).body, "t");
    EXPECT_EQ(a_->role_context.to_root, std::vector<std::string>{"0"});
}

TEST_F(PeerMessengerTest, WhatCannotBeSentIsAFailure) {
    PeerMessenger a(a_->role_context, patience_);
    EXPECT_EQ(run_beside(a, send_many(a, HostId{77}, 1, 0)).body, "!");
    EXPECT_EQ(run_beside(a, send_many(a, agents_.id(1), 1, max_frame_body)).body, "!");
}

TEST_F(PeerMessengerTest, TheEndOfTheOperationIsToldAfterTheMessages) {
    PeerMessenger a(a_->role_context, patience_);
    a_->role_context.from_root(RoleMessage{root_id, "last."});
    a_->role_context.from_root(Failure{FailureKind::cancelled, "", "", "ended"});
    const RoleResult result = run_beside(a, receive_many(a, 2));
    EXPECT_EQ(result.body, "lastt");
    EXPECT_EQ(result.outcome.kind, FailureKind::cancelled);
}

TEST_F(PeerMessengerTest, CancellationReachesTheWorkAndComesBack) {
    PeerMessenger a(a_->role_context, patience_);
    asio::cancellation_signal cancel;
    bool thrown = false;
    const auto ended = [&](const std::exception_ptr& error, const RoleResult&) { thrown = error != nullptr; };
    asio::co_spawn(context_, a.run(receive_many(a, 1)), asio::bind_cancellation_slot(cancel.slot(), ended));
    asio::steady_timer timer(context_, milliseconds(20));
    timer.async_wait([&](auto) { cancel.emit(asio::cancellation_type::terminal); });
    EXPECT_TRUE(loopback::run_until(context_, [&] { return thrown; }));
}

}  // namespace
}  // namespace trellis
