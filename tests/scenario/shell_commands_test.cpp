// The shell's own commands over a cluster that is not there.
#include "tests/scenario/shell_fixture.hpp"

#include <nlohmann/json.hpp>

namespace trellis {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

class ShellCommands : public ShellFixture {
  protected:
    // Fails on the hosts in the list.
    void fail_on(std::vector<std::string> hosts, int status = 3) {
        cluster.shell = [hosts = std::move(hosts), status](const std::string& host, const ExecRequest&) {
            FakeAnswer answer{host + "\n", "", Outcome::success(), std::nullopt};
            if (std::find(hosts.begin(), hosts.end(), host) != hosts.end())
                answer.outcome = {Outcome::State::exited, status, {}, ""};
            return answer;
        };
    }
};

TEST_F(ShellCommands, ExploreSaysHowManyWereReached) {
    EXPECT_EQ(run("explore a[00-03] b[[00;01]]").status, 0);
    EXPECT_THAT(err.take(), MatchesRegex("reached 6 of 6 hosts in .*s\n"));
    EXPECT_EQ(seat.counts().succeeded, 6U);
    EXPECT_EQ(seat.counts().selected, 6U);
    EXPECT_EQ(seat.counts().all, 6U);
    EXPECT_EQ(seat.selection()[4].name, "b00");
}

TEST_F(ShellCommands, ExploreGroupsWhatWasNotReachedByCause) {
    EXPECT_EQ(run("explore a0 bad[0-2]").status, 1);
    EXPECT_THAT(err.take(),
                MatchesRegex("bad\\[0-2\\]: unreachable: no such name\nreached 1 of 4 hosts in .*\n"));
    EXPECT_EQ(seat.counts().all, 1U);
    run("hosts");
    EXPECT_EQ(out.take(),
              "* a0    alive  \n  bad0  known    unreachable: no such name\n"
              "  bad1  known    unreachable: no such name\n  bad2  known    unreachable: no such name\n");
}

TEST_F(ShellCommands, ExploreWithoutNamesTriesWhatIsMissing) {
    run("explore a0 bad0");
    cluster.lose("a0");
    run("explore");
    EXPECT_THAT(cluster.explored.back().hosts, testing::ElementsAre("a0", "bad0"));
    EXPECT_EQ(seat.counts().all, 1U);
}

TEST_F(ShellCommands, ExploreFollowsTheUseRules) {
    run("use ssh here gw; use ssh --end-to-end gw b*; use ssh-program /x/ y; use local n0");
    run("explore a0");
    const RouteRule& rule = cluster.explored.back().rule;
    EXPECT_TRUE(rule("root", "gw").has_value());
    EXPECT_FALSE(rule("a0", "gw").has_value());
    EXPECT_FALSE(rule("root", "b07").has_value());
    EXPECT_TRUE(rule("gw", "b07")->end_to_end);
    EXPECT_EQ(rule("xx", "y")->way, SpawnWay::ssh_program);
    EXPECT_EQ(rule("root", "n0")->way, SpawnWay::local);
    EXPECT_EQ(rule("root", "local3")->way, SpawnWay::local);
    EXPECT_FALSE(rule("a0", "local3").has_value());
    EXPECT_EQ(rule("a0", "localhost")->way, SpawnWay::libssh);
    run("use");
    EXPECT_EQ(out.take(),
              "use ssh here gw\nuse ssh --end-to-end gw b*\nuse ssh-program /x/ y\nuse local n0\n");
    EXPECT_EQ(run("use rsh a b").status, 2);
    EXPECT_THAT(err.take(), HasSubstr("use: expected ssh, ssh-program or local, not 'rsh'"));
}

TEST_F(ShellCommands, ExecLabelsOutputAndPrintsFailuresOnly) {
    run("explore a[0-2]");
    err.take();
    fail_on({"a1"});
    EXPECT_EQ(run("e hostname").status, 1);
    EXPECT_EQ(out.take(), "a0: a0\na1: a1\na2: a2\n");
    EXPECT_EQ(err.take(), "a1: exit 3\n");
    EXPECT_EQ(seat.counts().succeeded, 2U);
}

TEST_F(ShellCommands, ExecSendsTheCommandAsWritten) {
    run("explore a0");
    std::vector<ExecRequest> requests;
    cluster.shell = [&](const std::string&, const ExecRequest& request) {
        requests.push_back(request);
        return FakeAnswer{};
    };
    run("export A=1; e --json --timeout 3s echo 'a b' \"$X\"; e 'ls | wc'; e -- -x; e ls --json; cd /tmp; e "
        "pwd");
    ASSERT_EQ(requests.size(), 6U);
    EXPECT_EQ(requests[0].command, "echo 'a b' \"$X\"");
    EXPECT_EQ(requests[0].env.at("A"), "1");
    EXPECT_EQ(requests[1].command, "ls | wc");
    EXPECT_EQ(requests[2].command, "-x");
    EXPECT_EQ(requests[3].command, "ls --json");
    EXPECT_EQ(requests[5].directory, "/tmp");
}

TEST_F(ShellCommands, ExecGivesJsonLines) {
    run("explore a0");
    fail_on({"a0"});
    run("e --json hostname");
    EXPECT_EQ(out.take(),
              "{\"host\":\"a0\",\"line\":\"a0\",\"stream\":\"stdout\"}\n"
              "{\"code\":3,\"host\":\"a0\",\"outcome\":\"exited\"}\n");
}

TEST_F(ShellCommands, ExecSaysWhatItNeeds) {
    EXPECT_EQ(run("e hostname").status, 1);
    EXPECT_THAT(err.take(), HasSubstr("e: no host is selected"));
    EXPECT_EQ(run("e").status, 2);
    EXPECT_THAT(err.take(), HasSubstr("e: expected a command"));
    EXPECT_EQ(run("e --tiemout 3s hostname").status, 2);
    EXPECT_EQ(err.take(), "e: unknown option --tiemout; did you mean --timeout?\n");
    EXPECT_EQ(run("e --timeout soon hostname").status, 2);
    EXPECT_THAT(err.take(), HasSubstr("expected a duration"));
}

TEST_F(ShellCommands, ExecSeparatesStandardError) {
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

TEST_F(ShellCommands, OutputGoesToFilesAndPrograms) {
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

TEST_F(ShellCommands, AReaderThatLeavesEndsTheCommandQuietly) {
    run("explore a0");
    err.take();
    cluster.shell = [](const std::string&, const ExecRequest&) {
        return FakeAnswer{std::string(1 << 20, '\n'), "", {}, CancelLevel::interrupt};
    };
    EXPECT_EQ(run("e yes | true").status, 0);
    EXPECT_EQ(err.take(), "");
}

TEST_F(ShellCommands, CtrlCEndsTheCommandAndKeepsTheSession) {
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

TEST_F(ShellCommands, ASecondCtrlCGivesUpWaiting) {
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

TEST_F(ShellCommands, SmaskSelectsByNameExpressionAndOutcome) {
    run("explore a[0-3] b[0-1]");
    const auto selected = [&] {
        run("show selection");
        return out.take();
    };
    run("smask a[1-2]");
    EXPECT_EQ(selected(), "a[1-2]\n");
    run("smask /[02]$/");
    EXPECT_EQ(selected(), "a[0,2],b0\n");
    run("smask --add b1; smask --remove a*");
    EXPECT_EQ(selected(), "b[0-1]\n");
    run("rmask");
    EXPECT_EQ(seat.counts().selected, 6U);
    fail_on({"a1", "b1"});
    run("e x");
    out.take();
    run("smask --failed");
    EXPECT_EQ(selected(), "a1,b1\n");
    run("rmask; smask --failed b[0-1]");
    EXPECT_EQ(selected(), "b1\n");
    run("rmask; smask");
    EXPECT_EQ(selected(), "a[0,2-3],b0\n");
    err.take();
    EXPECT_EQ(run("smask c0").status, 1);
    EXPECT_EQ(err.take(), "smask: no host is called c0\n");
    EXPECT_EQ(run("smask /(/").status, 2);
    EXPECT_EQ(selected(), "a[0,2-3],b0\n");
}

TEST_F(ShellCommands, CdFollowsPathsAndChecksThem) {
    run("cd /a/b");
    EXPECT_EQ(seat.directory, "/a/b");
    run("cd ../c");
    EXPECT_EQ(seat.directory, "/a/c");
    run("explore a0");
    fail_on({"a0"});
    EXPECT_EQ(run("cd nowhere").status, 1);
    EXPECT_EQ(seat.directory, "/a/c");
    fail_on({});
    run("cd ~/x");
    EXPECT_EQ(seat.directory, "x");
    run("cd");
    EXPECT_EQ(seat.directory, "");
}

TEST_F(ShellCommands, ExportKeepsVariables) {
    EXPECT_EQ(run("export A=1 B='x y'").status, 0);
    run("export");
    EXPECT_EQ(out.take(), "A=1\nB=x y\n");
    run("export --remove A; export --json");
    EXPECT_EQ(out.take(), "{\"B\":\"x y\"}\n");
    EXPECT_EQ(run("export 1A=2").status, 2);
    EXPECT_EQ(run("export A=1 =2").status, 2);
    EXPECT_FALSE(seat.environment.contains("A"));
}

TEST_F(ShellCommands, TopicsAndShowReadTheBus) {
    run("explore a[0-1]");
    run("topics");
    EXPECT_THAT(out.take(),
                testing::MatchesRegex("hosts: hosts of 2 hosts, view .*\nselection: selection of 2 .*\n"));
    run("show hosts --json");
    EXPECT_EQ(nlohmann::json::parse(out.take()).at(1).at("name"), "a1");
    err.take();
    EXPECT_EQ(run("show selecton").status, 1);
    EXPECT_EQ(err.take(), "show: no value is called selecton; did you mean selection? (see topics)\n");
}

TEST_F(ShellCommands, SaveAndLoadBringTheSessionBack) {
    run("explore a[0-1]; smask a1; use ssh 'g w' '/x|y/'; export A=1; cd /tmp; save " + file("s.json"));
    const std::string saved = contents(file("s.json"));
    EXPECT_EQ(nlohmann::json::parse(saved).at("format"), "trellis-session");
    run("use --clear; export --remove A; cd; rmask");
    EXPECT_EQ(run("load " + file("s.json")).status, 0);
    EXPECT_EQ(seat.environment.at("A"), "1");
    EXPECT_EQ(seat.directory, "/tmp");
    EXPECT_EQ(seat.counts().selected, 1U);
    ASSERT_EQ(session.rules().rules().size(), 1U);
    EXPECT_EQ(session.rules().rules()[0].text(), "use ssh 'g w' '/x|y/'");
}

TEST_F(ShellCommands, LoadedHostsCanBeExplored) {
    write(file("s.json"), R"({"format": "trellis-session", "version": 1, "time": 1, "directory": "",
        "environment": {}, "use": [], "values": [{"name": "hosts", "type": "hosts", "hosts": ["z0"], "view": 1,
        "time": 1, "value": [{"name": "z0", "state": "alive", "addresses": []}]}]})");
    EXPECT_EQ(run("load " + file("s.json")).status, 0);
    EXPECT_EQ(seat.counts().all, 0U);
    run("explore");
    EXPECT_EQ(seat.counts().all, 1U);
}

TEST_F(ShellCommands, LoadRefusesWhatItDoesNotUnderstand) {
    const auto refusal = [&](const std::string& text) {
        write(file("s.json"), text);
        EXPECT_EQ(run("load " + file("s.json")).status, 1);
        return err.take();
    };
    const std::string head = R"({"format": "trellis-session", "version": 1, "time": 1, "directory": "",
        "environment": {}, "use": )";
    EXPECT_THAT(refusal("{"), HasSubstr("s.json: not JSON"));
    EXPECT_THAT(refusal("[]"), HasSubstr("expected an object"));
    EXPECT_THAT(refusal("{}"), HasSubstr("missing"));
    EXPECT_THAT(refusal(head + R"(["use x y z"], "values": []})"), HasSubstr("use[0]: expected ssh"));
    EXPECT_THAT(refusal(head + R"([], "values": [], "more": 1})"), HasSubstr("more: not known"));
    EXPECT_THAT(
        refusal(head + R"([], "values": [{"name": "t", "type": "tree", "hosts": [], "view": 1, "time": 1,
        "value": 1}]})"),
        HasSubstr("values[0].type: no type of value is called 'tree'"));
    EXPECT_THAT(
        refusal(head + R"([], "values": [{"name": "t", "type": "hosts", "hosts": [], "view": 1, "time": 1,
        "value": 1}]})"),
        HasSubstr("values[0].value: expected a list of hosts"));
    EXPECT_THAT(refusal(head + R"([1], "values": []})"), HasSubstr("use: expected a list"));
    EXPECT_EQ(run("load /nowhere").status, 1);
    EXPECT_THAT(err.take(), HasSubstr("load: cannot read /nowhere: No such file"));
}

TEST_F(ShellCommands, SaveReplacesFilesInOneStep) {
    write(file("s.json"), "old");
    std::filesystem::permissions(file("s.json"), std::filesystem::perms(0600));
    EXPECT_EQ(run("save " + file("s.json")).status, 0);
    EXPECT_EQ(std::filesystem::status(file("s.json")).permissions(), std::filesystem::perms(0600));
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory), {}), 1);
    EXPECT_EQ(run("save " + file("no/where")).status, 1);
    EXPECT_EQ(run("save " + file("s.json") + " nothing").status, 1);
}

TEST_F(ShellCommands, HelpTellsOfEachCommand) {
    EXPECT_EQ(run("help").status, 0);
    const std::string overview = out.take();
    for (const CommandEntry& entry : builtin_commands()) {
        EXPECT_THAT(overview, HasSubstr(std::string(entry.name) + " "));
        EXPECT_EQ(run("help " + std::string(entry.name)).status, 0);
        const std::string help = out.take();
        EXPECT_THAT(help, HasSubstr("Usage: " + std::string(entry.name)));
        EXPECT_EQ(run(std::string(entry.name) + " --help").status, 0);
        EXPECT_EQ(out.take(), help);
    }
    EXPECT_EQ(run("help exlpore").status, 1);
    EXPECT_EQ(err.take(), "help: unknown command exlpore; did you mean explore?\n");
}

TEST_F(ShellCommands, MistakesAreToldWithTheNearestName) {
    EXPECT_EQ(run("exlpore a0").status, 127);
    EXPECT_EQ(err.take(), "unknown command exlpore; did you mean explore?\n");
    EXPECT_EQ(run("hosts --jsno").status, 2);
    EXPECT_EQ(err.take(), "hosts: unknown option --jsno; did you mean --json?\n");
    EXPECT_EQ(run("hosts all").status, 2);
    EXPECT_EQ(err.take(), "hosts: unexpected argument all\n");
    EXPECT_EQ(run("show").status, 2);
    EXPECT_THAT(err.take(), HasSubstr("show: name is required"));
    EXPECT_EQ(run("explore a[0-").status, 2);
    EXPECT_THAT(err.take(), HasSubstr("explore: "));
    EXPECT_EQ(run("topology").status, 2);
}

TEST_F(ShellCommands, ConnectorsAskForTheStatus) {
    EXPECT_EQ(run("show nothing || !exit 4").status, 4);
    EXPECT_EQ(run("show nothing && help").status, 1);
    EXPECT_EQ(out.take(), "");
    EXPECT_EQ(run("show nothing || rmask").failure, 0);
    EXPECT_EQ(run("show nothing; rmask").failure, 1);
}

TEST_F(ShellCommands, TopologyComparesFiles) {
    const std::string text = R"({"format": "trellis-topology", "version": 1, "hosts": ["a", "b", "c"],
        "switches": ["s"], "links": [{"a": "a", "b": "s", "delay_us": 1}, {"a": "b", "b": "s", "delay_us": 1},
        {"a": "c", "b": "s", "delay_us": 1}]})";
    write(file("t.json"), text);
    EXPECT_EQ(run("topology compare --json " + file("t.json") + " " + file("t.json")).status, 0);
    EXPECT_TRUE(nlohmann::json::parse(out.take()).is_object());
    EXPECT_EQ(run("topology draw " + file("t.json")).status, 0);
    EXPECT_THAT(out.take(), HasSubstr("a"));
    err.take();
    EXPECT_EQ(run("topology compare " + file("t.json")).status, 1);
    EXPECT_THAT(err.take(), HasSubstr("run infer"));
    EXPECT_EQ(run("topology comapre x").status, 2);
}

TEST_F(ShellCommands, ScriptsGoOnAfterFailuresAndSayWhereMistakesAre) {
    EXPECT_EQ(run_lines("explore a0\n\n# comment\nshow nothing\ne hostname\n"), 1);
    EXPECT_THAT(err.take(), HasSubstr("batch.trl:4: show: no value is called nothing"));
    EXPECT_EQ(out.take(), "a0: a0\n");
    EXPECT_EQ(run_lines("hosts 'x\ny\n"), 2);
    EXPECT_THAT(err.take(), HasSubstr("batch.trl:1: column"));
    EXPECT_EQ(run_lines("rmask\nfoo\nquit\nhosts"), 127);
    EXPECT_EQ(out.take(), "");
    EXPECT_EQ(run_lines("foo\nquit 0"), 0);
    EXPECT_EQ(run_lines("foo\nhosts", true), 127);
    EXPECT_EQ(out.take(), "");
    EXPECT_EQ(run_lines("e 'a\nb' \\\n c\nshow x"), 1);
    EXPECT_THAT(err.take(), HasSubstr("batch.trl:4: show: no value"));
}

TEST_F(ShellCommands, LostHostsAreToldOnceAndLeftOut) {
    session.on_change([&](const HostEntry& host) { news.add(host); });
    run("explore a[0-2]");
    err.take();
    cluster.lose("a0");
    cluster.lose("a1");
    EXPECT_EQ(run_lines("e hostname\nhosts\n"), 0);
    EXPECT_EQ(err.take(), "a[0-1]: lost: gone\n");
    EXPECT_THAT(out.take(), HasSubstr("a2: a2\n  a0  lost     gone\n"));
}

TEST_F(ShellCommands, ASilentHostThatSpeaksAgainIsToldToDoSo) {
    session.on_change([&](const HostEntry& host) { news.add(host); });
    run("explore a0");
    cluster.change("a0", MemberState::suspect);
    EXPECT_THAT(news.take({}), testing::ElementsAre("a0: silent, nothing is sent there"));
    cluster.change("a0", MemberState::alive);
    EXPECT_THAT(news.take({}), testing::ElementsAre("a0: speaks again"));
    cluster.change("a0", MemberState::suspect);
    cluster.change("a0", MemberState::alive);
    EXPECT_THAT(news.take({}), testing::IsEmpty());
}

}  // namespace
}  // namespace trellis
