// `explore`: where its hosts come from, and what is not logged in to again.
#include "shell/commands/explore_sources.hpp"
#include "tests/scenario/environment_variable.hpp"
#include "tests/scenario/shell_fixture.hpp"

#include <fcntl.h>

namespace trellis {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;

class ShellExplore : public ShellFixture {
  protected:
    // The hosts that the command explores.
    std::vector<std::string> explored_by(const std::string& line) {
        cluster.explored.clear();
        run(line);
        return cluster.explored.empty() ? std::vector<std::string>{} : cluster.explored.back().hosts;
    }
    std::string refusal(const std::string& line) {
        err.take();
        EXPECT_EQ(run(line).status, 2);
        return err.take();
    }
};

TEST_F(ShellExplore, TakesHostsFromFiles) {
    write(file("some"), "a[0-1] b0\n# c0\na1\n");
    write(file("more"), "d0\n");
    EXPECT_THAT(explored_by("explore x0 -f " + file("some") + " --file " + file("more") + " x1"),
                ElementsAre("x0", "x1", "a0", "a1", "b0", "d0"));
    write(file("bad"), "a0\nb[2-1]\n");
    EXPECT_EQ(
        refusal("explore -f " + file("bad")),
        "explore: " + file("bad") + ":2: host range 'b[2-1]': column 3: the range 2-1 runs backwards\n");
    EXPECT_EQ(refusal("explore -f /nowhere/hosts"),
              "explore: cannot read /nowhere/hosts: No such file or directory\n");
    write(file("empty"), "# nothing\n");
    EXPECT_EQ(refusal("explore -f " + file("empty")), "explore: " + file("empty") + ": no hosts in it\n");
}

TEST_F(ShellExplore, TakesHostsFromStandardInput) {
    write(file("hosts"), "s0 s1\ns2");
    const int own = ::dup(STDIN_FILENO);
    const int input = ::open(file("hosts").c_str(), O_RDONLY);
    ::dup2(input, STDIN_FILENO);
    EXPECT_THAT(explored_by("explore -f -"), ElementsAre("s0", "s1", "s2"));
    ::dup2(own, STDIN_FILENO);
    ::close(own);
    ::close(input);
}

TEST_F(ShellExplore, TakesHostsFromTables) {
    write(file("hosts"), "127.0.0.1 localhost\n10.0.0.1 a0.site a0\n10.0.0.2 a1.site a1\n");
    EXPECT_THAT(explored_by("explore --table " + file("hosts")), ElementsAre("a0.site", "a1.site"));
    EXPECT_THAT(explored_by("explore --table " + file("hosts") + " --pick a[0-9]"), ElementsAre("a0", "a1"));
    EXPECT_EQ(refusal("explore --table " + file("hosts") + " --pick 'c*'"),
              "explore: --pick c*: no host matches\n");
    write(file("own"), "127.0.0.1 localhost\n");
    EXPECT_EQ(refusal("explore --table " + file("own")), "explore: no hosts are named there\n");
}

TEST_F(ShellExplore, TakesHostsFromBatchSystems) {
    const EnvironmentVariable slurm("SLURM_JOB_NODELIST", "cn[08-10],gpu1");
    write(file("nodes"), "n1\nn1\nn2\n");
    const EnvironmentVariable pbs("PBS_NODEFILE", file("nodes").c_str());
    EXPECT_THAT(explored_by("explore --slurm"), ElementsAre("cn08", "cn09", "cn10", "gpu1"));
    EXPECT_THAT(explored_by("explore --pbs"), ElementsAre("n1", "n2"));
    const EnvironmentVariable no_slurm("SLURM_JOB_NODELIST", nullptr), no_pbs("PBS_NODEFILE", nullptr);
    EXPECT_THAT(refusal("explore --slurm"), HasSubstr("$SLURM_JOB_NODELIST is not set"));
    EXPECT_THAT(refusal("explore --pbs"), HasSubstr("$PBS_NODEFILE is not set"));
}

TEST_F(ShellExplore, TakesGroupsOfClusterShell) {
    const EnvironmentVariable configuration("CLUSTERSHELL_CFGDIR", directory.c_str());
    std::filesystem::create_directories(directory / "groups.d");
    write(file("groups.d/local.cfg"), "io: a[0-1]\nold: b0\n");
    EXPECT_EQ(clustershell_group_files().front(), file("groups.d/local.cfg"));
    EXPECT_THAT(explored_by("explore --group io"), ElementsAre("a0", "a1"));
    write(file("groups"), "io: c0 @old\n");
    EXPECT_THAT(explored_by("explore --group io"), ElementsAre("c0", "b0"));
    write(file("mine"), "io: d0\nx: d1\n");
    EXPECT_THAT(explored_by("explore --group-file " + file("mine") + " --group io --group x"),
                ElementsAre("d0", "d1"));
    EXPECT_THAT(refusal("explore --group oi"), HasSubstr("explore: no group is called oi; did you mean io?"));
}

TEST_F(ShellExplore, CountsWhatIsReachedAlready) {
    run("explore a[0-1]");
    err.take();
    EXPECT_THAT(explored_by("explore a[0-3]"), ElementsAre("a2", "a3"));
    EXPECT_THAT(err.take(), MatchesRegex("reached 4 of 4 hosts in .*, 2 of them before\n"));
    EXPECT_EQ(seat.counts().succeeded, 4U);
    EXPECT_THAT(explored_by("explore a[0-3]"), ElementsAre());
    EXPECT_EQ(err.take(), "4 hosts reached already\n");
    EXPECT_EQ(run("explore a[2-3] bad0 --json").status, 1);
    EXPECT_EQ(out.take(),
              "{\"host\":\"a2\",\"outcome\":\"succeeded\"}\n{\"host\":\"a3\",\"outcome\":\"succeeded\"}\n"
              "{\"detail\":\"no such name\",\"host\":\"bad0\",\"outcome\":\"unreachable\"}\n");
    EXPECT_THAT(explored_by("explore"), ElementsAre("bad0"));
    run("show hosts");
    EXPECT_THAT(out.take(), HasSubstr("bad0  known  (unreachable: no such name)"));
}

TEST_F(ShellExplore, NeedsHosts) {
    EXPECT_EQ(refusal("explore"), "explore: expected hosts: none are known\n");
}

TEST_F(ShellExplore, TheFanOutIsTheUsers) {
    explored_by("explore --fan-out 3 a1 a2");
    EXPECT_EQ(cluster.explored.back().fan_out, 3U);
    explored_by("explore a3");
    EXPECT_EQ(cluster.explored.back().fan_out, 64U);
    EXPECT_THAT(refusal("explore --fan-out 0 a4"), HasSubstr("--fan-out"));
    EXPECT_THAT(refusal("explore --fan-out many a4"), HasSubstr("--fan-out"));
}

}  // namespace
}  // namespace trellis
