// A session that stays up and its front ends, in one process over socket pairs: what they share, what each
// has of its own, and what becomes of one that goes away.
#include "shell/standing/standing_session.hpp"

#include "agentd/os/fd_stream.hpp"
#include "agentd/os/steady_clock.hpp"
#include "agentd/os/stream_link.hpp"
#include "shell/running/interpreter.hpp"
#include "shell/standing/remote_cluster.hpp"
#include "shell/standing/session_sharing.hpp"
#include "tests/scenario/capture.hpp"
#include "tests/scenario/fake_cluster.hpp"

#include <chrono>
#include <csignal>
#include <sys/socket.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trellis {
namespace {

using testing::HasSubstr;

std::unique_ptr<Link> link_over(const Executor& executor, FileDescriptor socket) {
    return std::make_unique<StreamLink>(executor, std::make_unique<FdStream>(executor, std::move(socket)));
}

// Connects to nobody, and keeps with what it was to.
class FakeNetwork final : public Network {
  public:
    [[nodiscard]] PublicKey public_key() const override { return "front end"; }
    Result<std::unique_ptr<Listener>> listen(const PeerSession&) override { return unavailable("no"); }
    Task<Result<std::unique_ptr<ByteStream>>> connect(const PeerSession& session, HostId, Endpoint,
                                                      Duration) override {
        sessions.push_back(session);
        co_return unavailable("nobody is there");
    }
    std::vector<PeerSession> sessions;
};

// A client as main.cpp makes it, without a process of its own.
class Client {
  public:
    Client(asio::io_context& io, Clock& clock, std::unique_ptr<Link> link)
        : io_(io),
          remote_(io.get_executor(), network, std::move(link)),
          session_(remote_, clock, [] { return 1700000000; }, {}) {}

    Task<void> attach(std::string seat, std::string version) {
        RemoteCluster::Listener listener;
        listener.shared = [this](const SharedChange& change) { (void)sharing_.apply(session_, change); };
        listener.note = [this](const std::string& line) { console_.say(line); };
        listener.ended = [this](const std::string& why) { ended = why; };
        Attach as{std::move(version), std::move(seat), ""};
        const Result<SeatParts> kept = co_await remote_.attach(std::move(as), std::move(listener));
        if (!kept) {
            ended = kept.error().cause;
            co_return;
        }
        restore_seat(seat_, *kept);
        kept_ = seat_parts(seat_);
        interpreter_.keep_with([this] {
            std::vector<std::string> too_large;
            for (SharedChange& change : sharing_.take_changes(session_, too_large))
                remote_.send(std::move(change));
            remote_.send(SeatChange{changed_parts(kept_, seat_parts(seat_))});
            kept_ = seat_parts(seat_);
        });
    }
    Task<LineResult> run(std::string line) { return interpreter_.run_line(std::move(line), ""); }

    FakeNetwork network;
    std::string ended;
    [[nodiscard]] RemoteCluster& remote() { return remote_; }
    [[nodiscard]] Seat& seat() { return seat_; }
    [[nodiscard]] Session& session() { return session_; }
    [[nodiscard]] Interrupts& interrupts() { return interrupts_; }
    std::string printed() { return out_.take(); }
    std::string said() { return err_.take(); }

  private:
    asio::io_context& io_;
    RemoteCluster remote_;
    Session session_;
    Seat seat_{session_};
    SharingLink sharing_;
    SeatParts kept_;
    Capture out_, err_;
    Console console_{io_.get_executor(), out_.fd(), err_.fd()};
    Interrupts interrupts_{io_.get_executor()};
    Interpreter interpreter_{session_, seat_, console_, interrupts_, builtin_commands()};
};

Task<std::string> connect_to(Operation& operation, HostId host) {
    Endpoint nowhere;
    const auto stream = co_await operation.connect(host, std::move(nowhere), std::chrono::seconds(1));
    co_return stream ? "" : stream.error().cause;
}

class StandingSessions : public testing::Test {
  protected:
    StandingSessions() { std::signal(SIGPIPE, SIG_IGN); }

    std::unique_ptr<Client> connect(const std::string& seat = "main", const std::string& version = "1") {
        DescriptorPair ends = make_socket_pair();
        standing.accept(link_over(io.get_executor(), std::move(ends.second)));
        auto client =
            std::make_unique<Client>(io, clock, link_over(io.get_executor(), std::move(ends.first)));
        wait_for(client->attach(seat, version));
        return client;
    }
    template <class T>
    T wait_for(Task<T> task) {
        std::optional<T> result;
        asio::co_spawn(io, std::move(task), [&](const std::exception_ptr& error, T value) {
            EXPECT_FALSE(error);
            result = std::move(value);
        });
        run_until([&] { return result.has_value(); });
        return result.value_or(T{});
    }
    void wait_for(Task<void> task) {
        bool done = false;
        asio::co_spawn(io, std::move(task), [&](const std::exception_ptr& error) {
            EXPECT_FALSE(error);
            done = true;
        });
        run_until([&] { return done; });
    }
    LineResult run(Client& client, const std::string& line) { return wait_for(client.run(line)); }
    // Starts the line and lets it run on.
    void begin(Client& client, const std::string& line, LineResult& result, bool& done) {
        asio::co_spawn(io, client.run(line), [&](const std::exception_ptr&, LineResult ended) {
            result = ended;
            done = true;
        });
    }
    template <class Condition>
    void run_until(Condition condition) {
        const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
        io.restart();
        while (!condition() && std::chrono::steady_clock::now() < until)
            io.run_one_for(std::chrono::milliseconds(10));
        EXPECT_TRUE(condition());
    }

    asio::io_context io{1};
    SteadyClock clock;
    FakeCluster cluster{io.get_executor()};
    Session session{cluster, clock, [] { return 1700000000; }, {}};
    StandingSession standing{
        io.get_executor(),
        session,
        {"1", 42, std::chrono::hours(1), [] { return true; }, [](const std::string&) {}}};
};

TEST_F(StandingSessions, RunsCommandsForFrontEnds) {
    const auto client = connect();
    EXPECT_EQ(run(*client, "explore a[0-2]").status, 0);
    EXPECT_EQ(run(*client, "e hostname").status, 0);
    EXPECT_EQ(client->printed(), "a0: a0\na1: a1\na2: a2\n");
    EXPECT_EQ(standing.description().hosts, 3U);
    EXPECT_EQ(standing.description().front_ends, 1U);
}

TEST_F(StandingSessions, KnowsItsHostsWhenAnotherFrontEndComes) {
    run(*connect(), "use local b*; explore a[0-2] bad");
    const auto later = connect();
    EXPECT_EQ(run(*later, "e hostname").status, 0);
    EXPECT_EQ(later->printed(), "a0: a0\na1: a1\na2: a2\n");
    run(*later, "use; hosts");
    EXPECT_THAT(later->printed(), testing::AllOf(HasSubstr("use local b*"), HasSubstr("no such name")));
}

TEST_F(StandingSessions, TellsFrontEndsOfOneAnothersHosts) {
    const auto one = connect();
    const auto other = connect();
    run(*one, "explore a0; use local b*");
    run_until([&] { return !other->session().rules().rules().empty(); });
    EXPECT_EQ(run(*other, "e hostname").status, 0);
    EXPECT_EQ(other->printed(), "a0: a0\n");
    cluster.lose("a0");
    run_until([&] { return other->session().host("a0")->state == HostState::lost; });
    run_until([&] { return one->session().host("a0")->state == HostState::lost; });
}

TEST_F(StandingSessions, KeepsASeatForTheNextFrontEnd) {
    auto client = connect();
    run(*client, "explore a[0-2]; smask a0; export X=1; e hostname");
    wait_for(client->remote().leave());
    EXPECT_EQ(client->ended, "");
    client.reset();
    client = connect();
    EXPECT_EQ(client->seat().places.of("a0").environment.at("X"), "1");
    EXPECT_EQ(client->seat().places.of("a1"), Place{});
    EXPECT_TRUE(client->seat().outcomes().at("a0").ok());
    run(*client, "e hostname; smask --where 'stdout ~ a0'");
    EXPECT_EQ(client->printed(), "a0: a0\n");
    EXPECT_EQ(client->seat().counts().selected, 1U);
    run(*client, "undo");
    EXPECT_EQ(client->seat().counts().selected, 3U);
    EXPECT_EQ(connect("other")->seat().counts().selected, 3U);
}

TEST_F(StandingSessions, KeepsOnlyWhatAFrontEndChanged) {
    const auto one = connect();
    run(*one, "explore a[0-2]");
    const auto other = connect();
    run(*other, "smask a0");
    run(*one, "e hostname");  // has another selection, which it did not change
    wait_for(one->remote().leave());
    EXPECT_EQ(connect()->seat().counts().selected, 1U);
}

TEST_F(StandingSessions, GivesEachFrontEndItsOwnInterrupt) {
    const auto one = connect();
    const auto other = connect();
    run(*one, "explore a0");
    run_until([&] { return other->session().host("a0").has_value(); });
    cluster.shell = [](const std::string&, const ExecRequest&) {
        return FakeAnswer{"begun\n", "", {}, CancelLevel::interrupt};
    };
    LineResult first, second;
    bool first_done = false, second_done = false;
    begin(*one, "e sleep", first, first_done);
    begin(*other, "e sleep", second, second_done);
    std::string from_one, from_other;
    run_until([&] {
        from_one += one->printed();
        from_other += other->printed();
        return !from_one.empty() && !from_other.empty();
    });
    one->interrupts().press();
    run_until([&] { return first_done; });
    EXPECT_TRUE(first.interrupted);
    EXPECT_FALSE(second_done);
    other->interrupts().press();
    run_until([&] { return second_done; });
}

TEST_F(StandingSessions, EndsWhatAFrontEndRanThatHasDied) {
    const auto client = connect();
    run(*client, "explore a0");
    cluster.shell = [](const std::string&, const ExecRequest&) {
        return FakeAnswer{"begun\n", "", {}, CancelLevel::kill};
    };
    DescriptorPair ends = make_socket_pair();
    standing.accept(link_over(io.get_executor(), std::move(ends.second)));
    const auto dying = link_over(io.get_executor(), std::move(ends.first));
    const ExecRequest sleep{"sleep", "", {}, {}, {}, {}};
    OperationRequest request{"exec", {cluster.membership().find("a0")->host.id}, encode(sleep), {}, false};
    dying->send(session_frame(ToSession(Attach{"1", "main", ""})));
    dying->send(session_frame(ToSession(OperationCall{1, std::move(request)})));
    run_until([&] { return standing.description().front_ends == 2 && cluster.counts->taken == 1; });
    const int before = cluster.counts->ended;
    dying->close();
    run_until([&] { return standing.description().front_ends == 1; });
    run_until([&] { return cluster.counts->ended > before; });
}

TEST_F(StandingSessions, HoldsBackOutputThatAFrontEndDoesNotTake) {
    const auto slow = connect();
    run(*slow, "explore a[0-9]");
    cluster.shell = [](const std::string&, const ExecRequest&) {
        return FakeAnswer{std::string(std::size_t{1} << 20, 'x'), "", Outcome::success(), std::nullopt};
    };
    const ExecRequest much{"much", "", {}, {}, {}, {}};
    OperationRequest request{"exec", {}, encode(much), {}, false};
    for (const auto& [id, member] : slow->remote().membership().members())
        request.hosts.push_back(id);
    const auto operation = slow->remote().operations().start(std::move(request));
    const auto other = connect();
    cluster.shell = [](const std::string& host, const ExecRequest&) {
        return FakeAnswer{host + "\n", "", Outcome::success(), std::nullopt};
    };
    EXPECT_EQ(run(*other, "e hostname").status, 0);
    EXPECT_EQ(cluster.counts->taken,
              1 + 20);  // one event was more than the window; the other front end took all
    std::size_t got = 0;
    for (auto event = wait_for(operation->next()); event; event = wait_for(operation->next()))
        if (const auto* data = std::get_if<StreamData>(&event->what)) got += data->bytes.size();
    EXPECT_EQ(got, std::size_t{10} << 20);
}

TEST_F(StandingSessions, RefusesAnotherVersion) {
    EXPECT_THAT(connect("main", "2")->ended, HasSubstr("it was started by trellis 1, and this is 2"));
}

TEST_F(StandingSessions, SaysFarewell) {
    const auto client = connect();
    bool over = false;
    asio::co_spawn(io, standing.until_end(), [&](const std::exception_ptr&) { over = true; });
    standing.end("ended on request");
    run_until([&] { return over; });
    wait_for(standing.farewell());
    run_until([&] { return !client->ended.empty(); });
    EXPECT_EQ(client->ended, "ended on request");
    EXPECT_EQ(run(*client, "explore a0").status, 1);
    EXPECT_THAT(client->said(), HasSubstr("the session has ended"));
}

TEST_F(StandingSessions, EndsWhenNobodyUsesIt) {
    StandingSession idle{
        io.get_executor(),
        session,
        {"1", 42, std::chrono::milliseconds(50), [] { return true; }, [](const std::string&) {}}};
    wait_for(idle.until_end());
}

TEST_F(StandingSessions, MeasuresForOneFrontEndAtATime) {
    const auto one = connect();
    run(*one, "explore a0");
    const auto other = connect();
    cluster.shell = [](const std::string&, const ExecRequest&) {
        return FakeAnswer{"begun\n", "", {}, CancelLevel::interrupt};
    };
    const ExecRequest measure{"measure", "", {}, {}, {}, {}};
    const OperationRequest request{
        "exec", {cluster.membership().find("a0")->host.id}, encode(measure), {}, true};
    auto first = one->remote().operations().start(request);
    EXPECT_TRUE(wait_for(first->next()));
    const auto second = other->remote().operations().start(request);
    std::string said;
    run_until([&] { return !(said += other->said()).empty(); });
    EXPECT_THAT(said, HasSubstr("waiting for another measurement"));
    OperationRequest transfer = request;
    transfer.root_meets = true;
    EXPECT_TRUE(wait_for(other->remote().operations().start(transfer)->next()));
    first.reset();
    const auto event = wait_for(second->next());
    ASSERT_TRUE(event);
    EXPECT_EQ(std::get<StreamData>(event->what).bytes, "begun\n");
}

// As the root, with a key of its own that the hosts are told.
TEST_F(StandingSessions, FrontEndsConnectToHostsThemselves) {
    const auto client = connect();
    run(*client, "explore a0");
    const HostId host = cluster.membership().find("a0")->host.id;
    const ExecRequest meet{"meet", "", {}, {}, {}, {}};
    OperationRequest request{"exec", {host}, encode(meet), {}};
    request.peers = request.root_meets = request.plain = true;
    const auto operation = client->remote().operations().start(request);
    EXPECT_TRUE(wait_for(operation->next()));
    const auto connected = wait_for(connect_to(*operation, host));
    EXPECT_EQ(connected, "nobody is there");
    ASSERT_EQ(client->network.sessions.size(), 1U);
    const PeerSession& met = client->network.sessions[0];
    EXPECT_EQ(met.operation, OperationId{1});
    EXPECT_EQ(met.nonce, "nonce");
    EXPECT_EQ(met.self, root_id);
    EXPECT_TRUE(met.plain);
    ASSERT_EQ(met.participants.size(), 1U);
    EXPECT_EQ(met.participants[0].key, "front end");
}

}  // namespace
}  // namespace trellis
