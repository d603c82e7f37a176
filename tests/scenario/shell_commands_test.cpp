// The shell's own commands over a cluster that is not there.
#include "shell/session/session_file.hpp"
#include "tests/scenario/shell_fixture.hpp"

#include <nlohmann/json.hpp>

namespace trellis {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

class ShellCommands : public ShellFixture {};

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

TEST_F(ShellCommands, TopologyIsViewedAndWrittenForSlurm) {
    const std::string text = R"({"format": "trellis-topology", "version": 1, "hosts": ["a", "b 2"],
        "switches": ["s"], "links": [{"a": "a", "b": "s", "delay_us": 1}, {"a": "b 2", "b": "s", "delay_us": 1}]})";
    write(file("t.json"), text);
    EXPECT_EQ(run("topology view -o " + file("t.html") + " " + file("t.json")).status, 0);
    EXPECT_EQ(out.take(), "");
    const std::string page = read_whole_file(file("t.html")).value();
    EXPECT_THAT(page, testing::StartsWith("<!doctype html>"));
    EXPECT_EQ(run("topology view -o - " + file("t.json")).status, 0);
    EXPECT_EQ(out.take(), page);
    EXPECT_EQ(run("topology view --svg " + file("t.json")).status, 0);
    EXPECT_THAT(out.take(), testing::StartsWith("<svg "));
    err.take();
    EXPECT_EQ(run("topology view -o " + file("no/such/t.html") + " " + file("t.json")).status, 1);
    EXPECT_THAT(err.take(), HasSubstr("cannot write"));
    EXPECT_EQ(run("topology draw --slurm-conf " + file("t.json")).status, 1);
    EXPECT_THAT(err.take(), HasSubstr("b 2: write for Slurm"));
    EXPECT_EQ(out.take(), "");
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

TEST_F(ShellCommands, ScriptsEndAtAFailureWhileSetMinusE) {
    EXPECT_EQ(run_lines("set -e; foo; set\nset"), 127);
    EXPECT_EQ(out.take(), "");
    EXPECT_EQ(run_lines("set -e\nfoo || set\nset +e\nfoo\nset"), 127);
    EXPECT_EQ(out.take(), "set -e\nset +e\n");
    EXPECT_EQ(run_lines("foo; set", true), 127);
    EXPECT_EQ(out.take(), "");
    EXPECT_EQ(run("set -x").status, 2);
    EXPECT_EQ(run("set +x").status, 2);
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
