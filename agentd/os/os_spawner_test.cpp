// Logins to a real sshd on the loopback interface, in all ways.
#include "agentd/os/os_spawner.hpp"

#include "agentd/os/loopback_sshd_test.hpp"
#include "agentd/os/tcp_dialer.hpp"

#include <filesystem>
#include <fstream>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

namespace trellis {
namespace {

using test::LoopbackSshd;
using test::TestAuthority;

class OsSpawnerTest : public testing::Test {
  protected:
    OsSpawnerTest() {
        if (::access("/usr/sbin/sshd", X_OK) != 0) return;
        sshd = std::make_unique<LoopbackSshd>("MaxStartups 3:100:3\n");
        authority.accepted = sshd->host_key();
    }
    void SetUp() override {
        if (!sshd) GTEST_SKIP() << "needs openssh-server";
    }
    [[nodiscard]] SpawnRequest request(SshSettings settings, const std::string& name = "a03") const {
        SpawnRequest result;
        result.name = result.target = name;
        result.settings = std::move(settings);
        result.timeout = std::chrono::seconds(60);
        result.agent_directory = sshd->directory() + "/agents";
        return result;
    }
    void run(Task<void> task) {
        asio::co_spawn(context, std::move(task), [this](const std::exception_ptr& error) {
            context.stop();
            if (error) std::rethrow_exception(error);
        });
        context.restart();
        context.run();
    }
    // "" if an agent echoes `size` bytes, else the failure.
    Task<void> echo(SpawnRequest wanted, std::unique_ptr<ByteStream> transport, std::size_t size,
                    std::string& result) {
        Result<std::unique_ptr<Link>> link =
            co_await spawner.spawn(std::move(wanted), authority, std::move(transport));
        if (!link) {
            result = link.error().message();
            kind = link.error().kind;
            co_return;
        }
        Frame frame;
        frame.type = FrameType::message;
        std::size_t received = 0;
        for (std::size_t sent = 0; sent < size; sent += frame.body.size()) {
            frame.body.assign(std::min<std::size_t>(size - sent, 100'000), 'x');
            (*link)->send(frame);
        }
        while (received < size) {
            const Result<Frame> answer = co_await (*link)->receive();
            if (!answer) break;
            received += answer->body.size();
        }
        result = received == size ? "" : "echo broke off";
    }
    std::string log_in(SpawnRequest wanted, std::unique_ptr<ByteStream> transport = nullptr,
                       std::size_t size = 10) {
        std::string result = "nothing";
        run(echo(std::move(wanted), std::move(transport), size, result));
        return result;
    }

    std::unique_ptr<LoopbackSshd> sshd;
    asio::io_context context{1};
    TestAuthority authority;
    OsSpawner spawner{context.get_executor(), TRELLIS_ECHO_AGENT, true};
    FailureKind kind{};
};

TEST_F(OsSpawnerTest, LogsInPushesTheAgentAndTalks) {
    EXPECT_EQ(log_in(request(sshd->settings())), "");
    EXPECT_EQ(log_in(request(sshd->settings())), "");
    EXPECT_EQ(authority.lookups.front(), "[127.0.0.1]:" + std::to_string(sshd->port()));
}

TEST_F(OsSpawnerTest, AnAgentThatIsThereAndDoesNotStartIsSentAnew) {
    const std::string directory = sshd->directory() + "/agents/trellis-root";
    const std::string file = directory + "/agentd-" + AgentImage(TRELLIS_ECHO_AGENT).identity()->hash;
    EXPECT_EQ(log_in(request(sshd->settings())), "");
    const std::uintmax_t size = std::filesystem::file_size(file);
    std::filesystem::remove(file);  // it may still run
    std::ofstream(file) << "#!/bin/sh\necho no such library >&2\nexit 127\n";
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    std::filesystem::last_write_time(file, std::filesystem::last_write_time(file + ".zst"));
    EXPECT_EQ(log_in(request(sshd->settings())), "");
    EXPECT_EQ(std::filesystem::file_size(file), size);
}

TEST_F(OsSpawnerTest, ManyBytesPassBothWays) {
    EXPECT_EQ(log_in(request(sshd->settings()), nullptr, 64 << 20), "");
}

TEST_F(OsSpawnerTest, ManyLoginsAtOnceSurviveMaxStartups) {
    std::vector<std::string> results(24, "nothing");
    int left = static_cast<int>(results.size());
    for (std::string& result : results)
        asio::co_spawn(context, echo(request(sshd->settings()), nullptr, 10, result),
                       [&](const std::exception_ptr&) {
                           if (--left == 0) context.stop();
                       });
    context.run();
    for (const std::string& result : results)
        EXPECT_EQ(result, "");
}

TEST_F(OsSpawnerTest, LinksAndLoginsMayBeAbandonedInTheMiddle) {
    std::vector<std::string> results(4);
    for (std::string& result : results)
        asio::co_spawn(context, echo(request(sshd->settings()), nullptr, 64 << 20, result), asio::detached);
    context.run_for(std::chrono::milliseconds(700));
}

TEST_F(OsSpawnerTest, ARefusedKeyIsNamed) {
    EXPECT_EQ(log_in(request(sshd->settings("stranger_key"))),
              "a03: log in: authentication (tried publickey stranger_key; the host offers nothing else)");
    EXPECT_EQ(kind, FailureKind::refused);
    EXPECT_EQ(log_in(request(sshd->settings("no_such_key"))),
              "a03: log in: authentication (no key to try; the host offers nothing else)");
}

TEST_F(OsSpawnerTest, AHostKeyThatIsNotKnownIsRefused) {
    authority.accepted = "another";
    EXPECT_EQ(log_in(request(sshd->settings())), "a03: log in: host key changed (known_hosts line 1)");
    EXPECT_EQ(kind, FailureKind::refused);
}

TEST_F(OsSpawnerTest, WhatCannotBeReachedIsSaidWhy) {
    SshSettings closed = sshd->settings();
    closed["port"] = {std::to_string(test::free_port())};
    EXPECT_EQ(log_in(request(closed)),
              "a03: log in: 127.0.0.1 port " + closed["port"].front() + ": Connection refused");
    EXPECT_EQ(kind, FailureKind::unreachable);
    SshSettings nowhere = sshd->settings();
    nowhere["hostname"] = {"no-such-host.invalid"};
    EXPECT_EQ(log_in(request(nowhere)).find("a03: log in: no-such-host.invalid: "), 0u);
    EXPECT_EQ(kind, FailureKind::unreachable);
}

TEST_F(OsSpawnerTest, ASilentServerTimesOut) {
    const FileDescriptor listener(::socket(AF_INET, SOCK_STREAM, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    ASSERT_EQ(::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
    ASSERT_EQ(::listen(listener.get(), 5), 0);
    ::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size);
    SpawnRequest silent = request(sshd->settings());
    silent.settings["port"] = {std::to_string(ntohs(address.sin_port))};
    silent.timeout = std::chrono::seconds(6);
    EXPECT_EQ(log_in(silent), "a03: log in: timed out in login");
    EXPECT_EQ(kind, FailureKind::timed_out);
}

TEST_F(OsSpawnerTest, TheSshAgentSigns) {
    authority.agent_socket = sshd->start_agent();
    EXPECT_EQ(log_in(request(sshd->settings("no_such_key"))), "");
    EXPECT_GE(authority.questions, 2);
    SpawnRequest only = request(sshd->settings("stranger_key"));
    only.settings["identitiesonly"] = {"yes"};
    EXPECT_EQ(log_in(only),
              "a03: log in: authentication (tried publickey stranger_key; the host offers nothing else)");
    OsSpawner inner(context.get_executor(), TRELLIS_ECHO_AGENT, false);
    const int before = authority.questions;
    const auto without = [&]() -> Task<void> {
        SpawnRequest plain = request(sshd->settings("no_such_key"));
        const auto link = co_await inner.spawn(std::move(plain), authority, nullptr);
        EXPECT_FALSE(link.has_value());
    };
    run(without());
    EXPECT_EQ(authority.questions, before);
}

TEST_F(OsSpawnerTest, JumpHostsAreSharedAndMayFollowOneAnother) {
    SpawnRequest far = request(sshd->settings());
    far.settings["proxyjump"] = {"gate,second"};
    for (const auto& [keyword, values] : sshd->settings()) {
        far.settings["jump0 " + keyword] = values;
        far.settings["jump1 " + keyword] = values;
    }
    EXPECT_EQ(log_in(far, nullptr, 1 << 20), "");
    EXPECT_EQ(authority.lookups.size(), 3u);
    far.settings["jump1 port"] = {std::to_string(test::free_port())};
    EXPECT_EQ(log_in(far).find("a03: log in: jump host second: 127.0.0.1 port "), 0u);
}

TEST_F(OsSpawnerTest, AProxyCommandIsRun) {
    SpawnRequest wanted = request(sshd->settings());
    wanted.settings["hostname"] = {"behind.the.wall"};
    wanted.settings["proxycommand"] = {"/usr/sbin/sshd -i -f " + sshd->config()};
    EXPECT_EQ(log_in(wanted), "");
    wanted.settings["proxycommand"] = {"false"};
    wanted.timeout = std::chrono::seconds(4);
    EXPECT_EQ(log_in(wanted).find("a03: log in: connection closed in login: "), 0u);
    EXPECT_EQ(kind, FailureKind::unreachable);
}

TEST_F(OsSpawnerTest, WhatWasLostBeforeASilentAttemptIsSaid) {
    SpawnRequest wanted = request(sshd->settings());
    const std::string tried = sshd->directory() + "/tried";
    wanted.settings["proxycommand"] = {"sh -c 'test -e " + tried + " && exec sleep 60; touch " + tried + "'"};
    wanted.timeout = std::chrono::seconds(4);
    EXPECT_EQ(log_in(wanted).find("a03: log in: connection closed in login: "), 0u);
    EXPECT_TRUE(std::filesystem::exists(tried));
    EXPECT_EQ(kind, FailureKind::unreachable);
}

TEST_F(OsSpawnerTest, AGivenTransportIsUsed) {
    TcpDialer dialer(context.get_executor());
    std::unique_ptr<ByteStream> transport;
    const auto dial = [&]() -> Task<void> {
        auto stream = co_await dialer.dial("127.0.0.1", static_cast<std::uint16_t>(sshd->port()),
                                           std::chrono::seconds(2));
        transport = std::move(stream.value());
    };
    run(dial());
    SpawnRequest wanted = request(sshd->settings());
    wanted.settings["hostname"] = {"seen.from.there"};
    EXPECT_EQ(log_in(wanted, std::move(transport), 1 << 20), "");
}

TEST_F(OsSpawnerTest, TheSshProgramIsTheSecondWay) {
    SpawnRequest wanted = request({}, "localhost");
    wanted.way = SpawnWay::ssh_program;
    const std::string config = sshd->directory() + "/ssh_config";
    std::ofstream(config) << "Host localhost\nHostName 127.0.0.1\nPort " << sshd->port() << "\nIdentityFile "
                          << sshd->key("user_key") << "\nIdentitiesOnly yes\nStrictHostKeyChecking no\n"
                          << "UserKnownHostsFile /dev/null\nLogLevel ERROR\n";
    wanted.settings["sshoptions"] = {"-F", config};
    EXPECT_EQ(log_in(wanted, nullptr, 1 << 20), "");
    wanted.settings["sshoptions"] = {"-F", config, "-i", "/nowhere", "-o", "PubkeyAuthentication=no"};
    EXPECT_NE(log_in(wanted).find("Permission denied"), std::string::npos);
    EXPECT_EQ(kind, FailureKind::refused);
    wanted.settings["sshoptions"] = {"-F", config, "-p", std::to_string(test::free_port())};
    EXPECT_NE(log_in(wanted).find("Connection refused"), std::string::npos);
    EXPECT_EQ(kind, FailureKind::unreachable);
}

TEST_F(OsSpawnerTest, ALocalAgentIsTheThirdWay) {
    SpawnRequest wanted = request({}, "local0");
    wanted.way = SpawnWay::local;
    EXPECT_EQ(log_in(wanted, nullptr, 1 << 20), "");
}

TEST_F(OsSpawnerTest, AnAgentThatCannotStartIsSaidWhy) {
    SpawnRequest wanted = request(sshd->settings());
    wanted.agent_directory = "/proc";
    EXPECT_EQ(log_in(wanted).find("a03: start the agent: /proc/trellis-"), 0u);
    EXPECT_EQ(kind, FailureKind::cannot_start);
}

TEST(ExplainSshFailure, MapsWordsToKinds) {
    const ExitStatus failed{false, 255};
    const auto kind = [&](const char* text) { return explain_ssh_failure(text, failed).kind; };
    EXPECT_EQ(kind("ssh: connect to host a port 22: Connection timed out\r\n"), FailureKind::timed_out);
    EXPECT_EQ(kind("Host key verification failed.\r\n"), FailureKind::refused);
    EXPECT_EQ(kind("kex_exchange_identification: read: Connection reset by peer"), FailureKind::lost);
    EXPECT_EQ(kind("ssh: Could not resolve hostname x: Name or service not known"), FailureKind::unreachable);
    EXPECT_EQ(explain_ssh_failure("a\nb\r\n", failed).cause, "b");
    EXPECT_EQ(explain_ssh_failure("", failed).cause, "ssh ended with status 255");
}

}  // namespace
}  // namespace trellis
