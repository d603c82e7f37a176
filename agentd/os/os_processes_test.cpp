#include "agentd/os/os_processes.hpp"

#include "agentd/os/alive_test.hpp"
#include "agentd/os/loopback_agents_test.hpp"

#include <algorithm>
#include <csignal>
#include <optional>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

namespace trellis {
namespace {

struct Ended {
    std::string out;
    std::string err;
    ExitStatus status;
};

class OsProcessesTest : public testing::Test {
  protected:
    std::unique_ptr<Process> start(std::string script, std::string directory = {},
                                   std::map<std::string, std::string> env = {}) {
        ProcessSpec spec;
        spec.argv = {"/bin/sh", "-c", std::move(script)};
        spec.directory = std::move(directory);
        spec.env = std::move(env);
        return start(spec);
    }
    std::unique_ptr<Process> start(const ProcessSpec& spec) {
        Result<std::unique_ptr<Process>> process = processes.start(spec);
        EXPECT_TRUE(process.has_value());
        return std::move(process.value());
    }
    Task<void> give(Process& process, int input, std::string bytes) {
        const Result<void> written = co_await process.write(input, std::move(bytes));
        refused = !written;
        process.close(input);
    }
    static Task<void> drain(Process& process, int output, std::string& text) {
        for (;;) {
            const std::string bytes = co_await process.read(output);
            if (bytes.empty()) co_return;
            text += bytes;
        }
    }
    static Task<void> finish(Process& process, std::optional<ExitStatus>& status) {
        status = co_await process.wait();
    }
    bool until(const auto& done) { return loopback::run_until(context, done); }
    Ended end_of(Process& process) {
        Ended ended;
        std::optional<ExitStatus> status;
        int drained = 0;
        const auto count = [&](const std::exception_ptr&) { ++drained; };
        asio::co_spawn(context, drain(process, Process::out, ended.out), count);
        asio::co_spawn(context, drain(process, Process::err, ended.err), count);
        asio::co_spawn(context, finish(process, status), asio::detached);
        EXPECT_TRUE(until([&] { return status && drained == 2; }));
        ended.status = status.value_or(ExitStatus{});
        return ended;
    }

    bool refused = false;  // the last write()
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

TEST_F(OsProcessesTest, FurtherDescriptorsAreJoinedAndNoOthers) {
    ProcessSpec spec;
    spec.argv = {"/bin/sh", "-c", "cat; cat <&7 >&5; ls /proc/self/fd | tr '\\n' ' '"};
    spec.inputs = {0, 7};
    spec.outputs = {5};
    const auto process = start(spec);
    std::string five, line(300000, 'x');
    line += '\n';
    asio::co_spawn(context, drain(*process, 5, five), asio::detached);
    asio::co_spawn(context, give(*process, 0, line), asio::detached);
    asio::co_spawn(context, give(*process, 7, "seven\n"), asio::detached);
    const Ended ended = end_of(*process);
    EXPECT_EQ(ended.out, line + "0 1 2 3 5 7 ");  // 3 is the directory
    EXPECT_EQ(five, "seven\n");
}

TEST_F(OsProcessesTest, AProcessThatDoesNotReadFailsTheWriter) {
    ProcessSpec spec;
    spec.argv = {"/bin/sh", "-c", "exec <&-; sleep 0.2"};
    spec.inputs = {0};
    const auto process = start(spec);
    asio::co_spawn(context, give(*process, 0, std::string(1 << 20, 'x')), asio::detached);
    EXPECT_EQ(end_of(*process).status.code, 0);
    EXPECT_TRUE(refused);
}

TEST_F(OsProcessesTest, AnOutputThatNobodyReadsEndsItsWriter) {
    const auto process = start("trap '' TERM; exec yes");
    context.run_for(std::chrono::milliseconds(50));
    process->close(Process::out);
    EXPECT_EQ(end_of(*process).status.code, SIGPIPE);
}

TEST_F(OsProcessesTest, APseudoTerminalControlsItsProcess) {
    ProcessSpec spec;
    spec.argv = {"/bin/sh", "-c",
                 "trap 'echo caught; exit 4' INT; stty size; tty; read line; stty size; "
                 "sh -c 'echo asleep; exec sleep 10'"};  // a signal between fork and exec is lost
    spec.terminal = TerminalSize{33, 111};
    const auto process = start(spec);
    std::string shown;
    asio::co_spawn(context, drain(*process, Process::out, shown), asio::detached);
    const auto await = [&](const std::string& text) {
        return until([&] { return shown.find(text) != std::string::npos; });
    };
    EXPECT_TRUE(await("/dev/pts/"));
    EXPECT_TRUE(await("33 111"));
    process->resize({44, 55});
    asio::co_spawn(context, give(*process, 0, "x\n"), asio::detached);
    EXPECT_TRUE(await("44 55"));
    EXPECT_TRUE(await("asleep"));
    asio::co_spawn(context, give(*process, 0, "\003"), asio::detached);
    EXPECT_TRUE(await("caught"));
    std::optional<ExitStatus> status;
    asio::co_spawn(context, finish(*process, status), asio::detached);
    ASSERT_TRUE(until([&] { return status.has_value(); }));
    EXPECT_EQ(status->code, 4);
}

TEST_F(OsProcessesTest, SignalsGoToTheWholeGroup) {
    const auto process = start("sleep 100 & echo started; wait");
    std::string out;
    asio::co_spawn(context, drain(*process, Process::out, out), asio::detached);
    EXPECT_TRUE(until([&] { return out == "started\n"; }));
    process->signal(SIGTERM);
    std::optional<ExitStatus> status;
    asio::co_spawn(context, finish(*process, status), asio::detached);
    ASSERT_TRUE(until([&] { return status.has_value(); }));
    EXPECT_TRUE(status->signalled);
    EXPECT_EQ(status->code, SIGTERM);
}

TEST_F(OsProcessesTest, AStoppedGroupHasNotEndedAndGoesOnWhenItIsContinued) {
    const auto process = start("sleep 0.1; echo done");
    process->signal(SIGSTOP);
    std::optional<ExitStatus> status;
    asio::co_spawn(context, finish(*process, status), asio::detached);
    context.run_for(std::chrono::milliseconds(300));
    EXPECT_FALSE(status);
    process->signal(SIGCONT);
    const Ended ended = end_of(*process);
    EXPECT_EQ(ended.out, "done\n");
    EXPECT_FALSE(ended.status.signalled);
}

TEST_F(OsProcessesTest, DestroyingAProcessKillsWhatItLeftBehind) {
    auto process = start("sleep 100 >/dev/null 2>&1 & echo $!");
    const Ended ended = end_of(*process);
    EXPECT_EQ(ended.status.code, 0);
    const pid_t grandchild = std::stoi(ended.out);
    EXPECT_TRUE(alive(grandchild));
    process.reset();
    EXPECT_TRUE(until([&] { return !alive(grandchild); }));
}

TEST_F(OsProcessesTest, WhatCannotStartIsNamed) {
    ProcessSpec missing, nowhere;
    missing.argv = {"no-such-program"};
    nowhere.argv = {"/bin/sh"};
    nowhere.directory = "/no/such/directory";
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
    EXPECT_TRUE(until([&] { return std::ranges::all_of(statuses, &std::optional<ExitStatus>::has_value); }));
    for (const auto& status : statuses)
        EXPECT_EQ(status ? status->code : -1, 7);
}

}  // namespace
}  // namespace trellis
