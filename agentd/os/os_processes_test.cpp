#include "agentd/os/os_processes.hpp"

#include <csignal>
#include <fstream>
#include <optional>
#include <thread>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

namespace trellis {
namespace {

// Running or stopped, but no zombie.
bool alive(pid_t pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    std::string number, name, state;
    return (file >> number >> name >> state) && state != "Z";
}

struct Ended {
    std::string out;
    std::string err;
    ExitStatus status;
};

class OsProcessesTest : public testing::Test {
  protected:
    std::unique_ptr<Process> start(std::string script, std::string directory = {},
                                   std::map<std::string, std::string> env = {}) {
        ProcessSpec spec{{"/bin/sh", "-c", std::move(script)}, std::move(directory), std::move(env)};
        Result<std::unique_ptr<Process>> process = processes.start(spec);
        EXPECT_TRUE(process.has_value());
        return std::move(process.value());
    }
    static Task<void> drain(Process& process, Process::Output output, std::string& text) {
        for (;;) {
            const std::string bytes = co_await process.read(output);
            if (bytes.empty()) co_return;
            text += bytes;
        }
    }
    static Task<void> finish(Process& process, std::optional<ExitStatus>& status) {
        status = co_await process.wait();
    }
    Ended end_of(Process& process) {
        Ended ended;
        std::optional<ExitStatus> status;
        asio::co_spawn(context, drain(process, Process::Output::out, ended.out), asio::detached);
        asio::co_spawn(context, drain(process, Process::Output::err, ended.err), asio::detached);
        asio::co_spawn(context, finish(process, status), asio::detached);
        for (int i = 0; i < 500 && !status; ++i)
            context.run_for(std::chrono::milliseconds(10));
        context.run_for(std::chrono::milliseconds(10));
        EXPECT_TRUE(status);
        ended.status = status.value_or(ExitStatus{});
        return ended;
    }

    asio::io_context context{1};
    OsProcesses processes{context.get_executor()};
};

TEST_F(OsProcessesTest, OutputsAndExitStatusComeApart) {
    const auto process = start("echo out; echo err >&2; exit 3");
    const Ended ended = end_of(*process);
    EXPECT_EQ(ended.out, "out\n");
    EXPECT_EQ(ended.err, "err\n");
    EXPECT_FALSE(ended.status.signalled);
    EXPECT_EQ(ended.status.code, 3);
}

TEST_F(OsProcessesTest, DirectoryAndEnvironmentAreThoseAsked) {
    const auto process = start("pwd; echo $COLOUR; cat", "/usr/bin", {{"COLOUR", "green"}});
    EXPECT_EQ(end_of(*process).out, "/usr/bin\ngreen\n");
}

TEST_F(OsProcessesTest, TheChildHasOnlyItsThreeFilesAndNoBlockedOrIgnoredSignals) {
    ::signal(SIGPIPE, SIG_IGN);
    const auto process =
        start("ls /proc/self/fd | wc -l; grep -E '^Sig(Blk|Ign)' /proc/self/status | tail -c 8");
    EXPECT_EQ(end_of(*process).out, "4\n0000000\n");
}

TEST_F(OsProcessesTest, SignalsGoToTheWholeGroup) {
    const auto process = start("sleep 100 & echo started; wait");
    context.run_for(std::chrono::milliseconds(50));
    process->signal(SIGTERM);
    const Ended ended = end_of(*process);
    EXPECT_TRUE(ended.status.signalled);
    EXPECT_EQ(ended.status.code, SIGTERM);
    EXPECT_EQ(ended.out, "started\n");
}

TEST_F(OsProcessesTest, DestroyingAProcessKillsWhatItLeftBehind) {
    auto process = start("sleep 100 >/dev/null 2>&1 & echo $!");
    const Ended ended = end_of(*process);
    EXPECT_EQ(ended.status.code, 0);
    const pid_t grandchild = std::stoi(ended.out);
    EXPECT_TRUE(alive(grandchild));
    process.reset();
    for (int i = 0; i < 100 && alive(grandchild); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_FALSE(alive(grandchild));
}

TEST_F(OsProcessesTest, WhatCannotStartIsNamed) {
    const ProcessSpec missing{{"no-such-program"}, "", {}};
    const ProcessSpec nowhere{{"/bin/sh"}, "/no/such/directory", {}};
    EXPECT_EQ(processes.start(missing).error().cause, "no-such-program: No such file or directory");
    EXPECT_EQ(processes.start(nowhere).error().cause, "/no/such/directory: No such file or directory");
    EXPECT_EQ(processes.start(nowhere).error().kind, FailureKind::cannot_start);
}

TEST_F(OsProcessesTest, ManyProcessesAtOnce) {
    std::vector<std::unique_ptr<Process>> all;
    std::vector<std::optional<ExitStatus>> statuses(100);
    for (auto& status : statuses) {
        all.push_back(start("exit 7"));
        asio::co_spawn(context, finish(*all.back(), status), asio::detached);
    }
    for (int i = 0; i < 500; ++i)
        context.run_for(std::chrono::milliseconds(2));
    for (const auto& status : statuses)
        EXPECT_EQ(status ? status->code : -1, 7);
}

}  // namespace
}  // namespace trellis
