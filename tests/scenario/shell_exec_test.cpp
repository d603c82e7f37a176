// The command `e` over a cluster that is not there: what it prints, where it goes, and Ctrl-C.
#include "shell/output/output_view.hpp"
#include "tests/scenario/shell_fixture.hpp"

#include <nlohmann/json.hpp>

namespace trellis {
namespace {

using testing::HasSubstr;

class ShellExec : public ShellFixture {};

TEST_F(ShellExec, LabelsOutputAndPrintsFailuresOnly) {
    run("explore a[0-2]");
    err.take();
    fail_on({"a1"});
    EXPECT_EQ(run("e hostname").status, 1);
    EXPECT_EQ(out.take(), "a0: a0\na1: a1\na2: a2\n");
    EXPECT_EQ(err.take(), "a1: exit 3\n");
    EXPECT_EQ(seat.counts().succeeded, 2U);
}

TEST_F(ShellExec, SendsTheCommandAsWritten) {
    run("explore a0");
    std::vector<ExecRequest> requests;
    cluster.shell = [&](const std::string&, const ExecRequest& request) {
        requests.push_back(request);
        return FakeAnswer{};
    };
    run("export A=1; e --json --timeout 3s echo 'a b' \"$X\"; e 'ls | wc'; e -- -x; e ls --json");
    ASSERT_EQ(requests.size(), 4U);
    EXPECT_EQ(requests[0].command, "echo 'a b' \"$X\"");
    EXPECT_EQ(requests[0].env.at("A"), "1");
    EXPECT_EQ(requests[1].command, "ls | wc");
    EXPECT_EQ(requests[2].command, "-x");
    EXPECT_EQ(requests[3].command, "ls --json");
}

TEST_F(ShellExec, GivesJsonLines) {
    run("explore a0");
    fail_on({"a0"});
    run("e --json hostname");
    EXPECT_EQ(out.take(),
              "{\"host\":\"a0\",\"line\":\"a0\",\"stream\":\"stdout\"}\n"
              "{\"code\":3,\"host\":\"a0\",\"outcome\":\"exited\"}\n");
}

TEST_F(ShellExec, SaysWhatItNeeds) {
    EXPECT_EQ(run("e hostname").status, 1);
    EXPECT_THAT(err.take(), HasSubstr("e: no host is selected"));
    EXPECT_EQ(run("e").status, 2);
    EXPECT_THAT(err.take(), HasSubstr("e: expected a command"));
    EXPECT_EQ(run("e --tiemout 3s hostname").status, 2);
    EXPECT_EQ(err.take(), "e: unknown option --tiemout; did you mean --timeout?\n");
    EXPECT_EQ(run("e --timeout soon hostname").status, 2);
    EXPECT_THAT(err.take(), HasSubstr("expected a duration"));
}

TEST_F(ShellExec, SeparatesStandardError) {
    run("explore a0");
    err.take();
    cluster.shell = [](const std::string&, const ExecRequest&) {
        return FakeAnswer{"o\n", "e", {}, std::nullopt};
    };
    run("e x");
    EXPECT_EQ(out.take(), "a0: o\n");
    EXPECT_EQ(err.take(), "a0: e\n");
    run("e x 2>&1 | sort > " + file("f"));
    EXPECT_EQ(contents(file("f")), "a0: e\na0: o\n");
    run("e x 2> " + file("g"));
    EXPECT_EQ(contents(file("g")), "a0: e\n");
    EXPECT_EQ(err.take(), "");
}

TEST_F(ShellExec, OutputGoesToFilesAndPrograms) {
    run("explore a[0-2]");
    EXPECT_EQ(run("e hostname > " + file("f")).status, 0);
    EXPECT_EQ(contents(file("f")), "a0: a0\na1: a1\na2: a2\n");
    run("e hostname >> " + file("f"));
    EXPECT_EQ(contents(file("f")).size(), 42U);
    EXPECT_EQ(run("e hostname | sort -r | head -1 > " + file("g")).status, 0);
    EXPECT_EQ(contents(file("g")), "a2: a2\n");
    EXPECT_EQ(run("e hostname | (cat > /dev/null; exit 5)").status, 5);
    err.take();
    EXPECT_EQ(run("hosts > /nowhere/f").status, 1);
    EXPECT_THAT(err.take(), HasSubstr("hosts: cannot open /nowhere/f: No such file or directory"));
    EXPECT_EQ(out.take(), "");
}

TEST_F(ShellExec, FoldsEqualOutputs) {
    run("explore a[0-3]");
    cluster.shell = [](const std::string& host, const ExecRequest&) {
        FakeAnswer answer{"one\ntwo\n", "", Outcome::success(), std::nullopt};
        if (host == "a1") answer.out = "one\nother";
        if (host == "a2") answer.outcome = {Outcome::State::exited, 3, {}, ""};
        return answer;
    };
    EXPECT_EQ(run("e -b x").status, 1);
    EXPECT_EQ(out.take(), "---- a[0,3] (2)\none\ntwo\n---- a1\none\nother\n---- a2: exit 3\none\ntwo\n");
    run("e --diff x");
    EXPECT_EQ(out.take(),
              "---- a[0,3] (2)\none\ntwo\n---- a1\n@@ -1,2 +1,2 @@\n one\n-two\n+other\n---- a2: exit 3\n");
    EXPECT_EQ(run("e -b --diff x").status, 2);
}

TEST_F(ShellExec, CutsWhatItFolds) {
    run("explore a0");
    err.take();
    cluster.shell = [](const std::string&, const ExecRequest&) {
        return FakeAnswer{std::string(most_folded + 1, 'x'), "", Outcome::success(), std::nullopt};
    };
    run("e -b x > " + file("f"));
    EXPECT_EQ(contents(file("f")).size(), std::string("---- a0\n").size() + most_folded + 1);
    EXPECT_THAT(err.take(), HasSubstr("a0: output cut after 1 MiB"));
}

TEST_F(ShellExec, KeepsAFileForEachHost) {
    run("explore a[0-1]");
    err.take();
    cluster.shell = [](const std::string& host, const ExecRequest&) {
        return FakeAnswer{host == "a0" ? "text\n" : "", host == "a0" ? "wrong\n" : "", Outcome::success(),
                          std::nullopt};
    };
    const std::string outputs = file("outputs");
    EXPECT_EQ(run("e -o " + outputs + "/new x").status, 0);
    EXPECT_EQ(contents(outputs + "/new/a0"), "text\n");
    EXPECT_EQ(contents(outputs + "/new/a0.err"), "wrong\n");
    EXPECT_TRUE(std::filesystem::exists(outputs + "/new/a1"));
    EXPECT_FALSE(std::filesystem::exists(outputs + "/new/a1.err"));
    EXPECT_EQ(out.take() + err.take(), "");
    std::filesystem::create_directories(outputs + "/taken/a1");
    EXPECT_EQ(run("e -o " + outputs + "/taken x").status, 1);
    EXPECT_THAT(err.take(), HasSubstr("a1: cannot write " + outputs + "/taken/a1: Is a directory"));
    run("explore ../b; smask ../b");
    err.take();
    EXPECT_EQ(run("e -o " + outputs + "/new x").status, 1);
    EXPECT_THAT(err.take(), HasSubstr("../b: cannot write"));
    EXPECT_FALSE(std::filesystem::exists(outputs + "/b"));
    EXPECT_EQ(run("e -o /proc/none x").status, 1);
    EXPECT_THAT(err.take(), HasSubstr("cannot make /proc/none"));
}

TEST_F(ShellExec, AReaderThatLeavesEndsTheCommandQuietly) {
    run("explore a0");
    err.take();
    cluster.shell = [](const std::string&, const ExecRequest&) {
        return FakeAnswer{std::string(1 << 20, '\n'), "", {}, CancelLevel::interrupt};
    };
    EXPECT_EQ(run("e yes | true").status, 0);
    EXPECT_EQ(err.take(), "");
}

TEST_F(ShellExec, CtrlCEndsTheCommandAndKeepsTheSession) {
    run("explore a[0-1]");
    cluster.shell = [](const std::string& host, const ExecRequest&) {
        return FakeAnswer{host + "\n", "", {}, CancelLevel::interrupt};
    };
    asio::steady_timer press(io, std::chrono::milliseconds(50));
    press.async_wait([&](const boost::system::error_code&) { interrupts.press(); });
    const LineResult result = run("e sleep; hosts");
    EXPECT_TRUE(result.interrupted);
    EXPECT_EQ(result.status, 1);
    EXPECT_EQ(out.take(), "a0: a0\na1: a1\n");
    EXPECT_THAT(err.take(), HasSubstr("a[0-1]: signal 2 (Interrupt)"));
    EXPECT_EQ(seat.counts().all, 2U);
}

TEST_F(ShellExec, ALocalProgramReadsACommandInTheBackground) {
    run("explore a[0-1]");
    EXPECT_EQ(run("e hostname | (sleep 0.1; sort -r 2>&1; exit 4) > " + file("f") + " &").status, 0);
    EXPECT_EQ(contents(file("f")), "");
    EXPECT_EQ(run("wait").status, 4);
    EXPECT_EQ(contents(file("f")), "a1: a1\na0: a0\n");
    EXPECT_EQ(run("e hostname > " + file("g") + " & wait").status, 0);
    EXPECT_EQ(contents(file("g")), "a0: a0\na1: a1\n");
}

TEST_F(ShellExec, SignalsReachTheHostsAndTheLocalProgram) {
    run("explore a0");
    cluster.shell = [](const std::string&, const ExecRequest&) {
        return FakeAnswer{"", "", {}, CancelLevel::terminate};
    };
    run("e x | exec sh -c \"trap 'echo heard > " + file("f") + "' HUP; cat; cat\" &");
    run("!sleep 0.2");
    EXPECT_EQ(run("kill -HUP %1").status, 0);
    run("!sleep 0.2");
    EXPECT_THAT(cluster.signals, testing::ElementsAre(SIGHUP));
    EXPECT_EQ(contents(file("f")), "heard\n");
    EXPECT_EQ(run("kill %1; wait").status, 143);
}

TEST_F(ShellExec, AScriptEndsItsJobs) {
    cluster.shell = [](const std::string&, const ExecRequest& request) {
        FakeAnswer answer;
        if (request.command != "x") answer.hangs = CancelLevel::terminate;
        return answer;
    };
    EXPECT_EQ(run_lines("explore a0\ne sleep 1 &\ne x | sleep 100 &\ne x\nquit 3"), 3);
    EXPECT_THAT(err.take(), HasSubstr("ending [1] running (1 of 1 hosts)  e sleep 1\n"
                                      "ending [2] running (0 of 1 hosts)  e x | sleep 100\n"));
    EXPECT_TRUE(interpreter.jobs().numbered().empty());
}

TEST_F(ShellExec, ASecondCtrlCGivesUpWaiting) {
    run("explore a0");
    cluster.shell = [](const std::string&, const ExecRequest&) {
        return FakeAnswer{"", "", {}, CancelLevel::kill};
    };
    asio::steady_timer press(io, std::chrono::milliseconds(50));
    press.async_wait([&](const boost::system::error_code&) {
        interrupts.press();
        interrupts.press();
    });
    EXPECT_TRUE(run("e sleep").interrupted);
    EXPECT_THAT(err.take(), HasSubstr("a0: cancelled"));
}

TEST_F(ShellExec, AMasterReadsWhatTheWorkersWrite) {
    run("explore a[0-2]");
    err.take();
    EXPECT_EQ(run("mw 'sort -r > " + file("f") + "' hostname").status, 0);
    EXPECT_EQ(contents(file("f")), "a2\na1\na0\n");
    EXPECT_EQ(run("mw {{ sort -o " + file("g") + " }} {{ hostname }}").status, 0);
    EXPECT_EQ(contents(file("g")), "a0\na1\na2\n");
    EXPECT_EQ(run("mw --up 1=7 'cat <&7; exit 4' -- hostname").status, 4);
    EXPECT_EQ(err.take(), "mw: the master ended with status 4\n");
    fail_on({"a1"});
    EXPECT_EQ(run("mw cat -- hostname").status, 1);
    EXPECT_EQ(err.take(), "a1: exit 3\n");
}

}  // namespace
}  // namespace trellis
