// `rankmap` from the shell's command line, over the tree that infer finds of simulated hosts.
#include "agentd/model/rank_order.hpp"
#include "tests/scenario/sim_shell.hpp"
#include "tests/sim/topology_lab.hpp"

#include <algorithm>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace trellis {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class RankmapCommandLine : public testing::Test {
  protected:
    void SetUp() override {
        ASSERT_EQ(shell_.explore_all(), 0) << shell_.said();
        ASSERT_EQ(shell_.run("infer --seed 1").status, 0) << shell_.said();
        shell_.printed();
        shell_.said();
    }
    sim::SimFiles& files() { return shell_.world().files("ctl"); }
    // Its exit status.
    int run(const std::string& line) {
        shell_.said();
        const int status = shell_.run(line).status;
        said_ = shell_.said();
        printed_ = shell_.printed();
        return status;
    }
    // The switch's letter of the host of each rank.
    static std::string switches(const std::string& rankfile) {
        std::string letters;
        std::istringstream lines(rankfile);
        for (std::string line; std::getline(lines, line);)
            letters += line.at(line.find('=') + 1);
        return letters;
    }

    SimShell shell_{sim::read_lab("four_switches_16")};
    std::string said_, printed_;
};

TEST_F(RankmapCommandLine, TheHostsOfASwitchFollowOneAnother) {
    ASSERT_EQ(run("rankmap --slots 2 --format openmpi"), 0) << said_;
    EXPECT_THAT(printed_, StartsWith("rank 0="));
    std::string letters = switches(printed_);
    ASSERT_EQ(letters.size(), 32u);
    letters.erase(std::unique(letters.begin(), letters.end()), letters.end());
    EXPECT_EQ(letters.size(), 4u) << letters;
    EXPECT_THAT(said_, HasSubstr("* depth-first"));
    ASSERT_EQ(run("rankmap --method name --np 5"), 0) << said_;
    EXPECT_EQ(printed_, "0  a00\n1  a01\n2  a02\n3  a03\n4  b00\n");
}

TEST_F(RankmapCommandLine, TheOrderStandsOnTheBus) {
    ASSERT_EQ(run("rankmap --json --pattern halo-2d --method pattern"), 0) << said_;
    const auto json = nlohmann::json::parse(printed_);
    EXPECT_EQ(json.at("method"), "pattern");
    ASSERT_EQ(json.at("methods").size(), 4u);
    const auto cost = [&](std::size_t row) { return json.at("methods").at(row).at("cost").get<double>(); };
    EXPECT_LE(cost(3), cost(0));
    EXPECT_LE(cost(3), cost(2));
    ASSERT_EQ(run("show ranks --json"), 0);
    const auto shown = nlohmann::json::parse(printed_);
    EXPECT_EQ(shown.at("ranks"), json.at("ranks"));
    EXPECT_TRUE(RanksValue::from_json(shown));
}

TEST_F(RankmapCommandLine, AFileIsWrittenAtOnceAndWhole) {
    ASSERT_EQ(run("rankmap --format mpich -o /tmp/hosts"), 0) << said_;
    EXPECT_EQ(printed_, "");
    const std::string text = files().content("/tmp/hosts");
    EXPECT_EQ(std::ranges::count(text, '\n'), 16);
    EXPECT_THAT(text, ContainsRegex("^[a-d]0[0-3]:1\n"));
    EXPECT_EQ(files().status("/tmp/hosts")->mode, 0644u);
    files().put("/tmp/hosts", "old", 0600);
    const std::size_t paths = files().paths().size();
    ASSERT_EQ(run("rankmap --format slurm --np 3 -o /tmp/hosts"), 0) << said_;
    EXPECT_EQ(files().content("/tmp/hosts").size(), 12u);
    EXPECT_EQ(files().status("/tmp/hosts")->mode, 0600u);
    EXPECT_EQ(files().paths().size(), paths);
    EXPECT_EQ(run("rankmap --format slurm -o /no/where"), 1);
    EXPECT_EQ(run("rankmap --format slurm -o /tmp"), 1);
    EXPECT_THAT(said_, HasSubstr("is no file"));
}

TEST_F(RankmapCommandLine, AMatrixIsReadAndItsFaultsAreNamed) {
    files().put("/tmp/m", "0 9 0\n0 0 9\n0 0 0\n");
    ASSERT_EQ(run("rankmap --pattern /tmp/m --method pattern"), 0) << said_;
    EXPECT_EQ(std::ranges::count(printed_, '\n'), 3);
    EXPECT_EQ(run("rankmap --np 4 --pattern /tmp/m"), 2);
    EXPECT_THAT(said_, HasSubstr("is of 3 ranks, --np says 4"));
    files().put("/tmp/m", "0 9\nx 0\n");
    EXPECT_EQ(run("rankmap --pattern /tmp/m"), 2);
    EXPECT_THAT(said_, HasSubstr("line 2: 'x' is no number"));
    EXPECT_EQ(run("rankmap --pattern /tmp/none"), 2);
    EXPECT_THAT(said_, HasSubstr("No such file"));
}

TEST_F(RankmapCommandLine, SaysWhatIsMissing) {
    EXPECT_EQ(run("rankmap --np 17"), 2);
    EXPECT_THAT(said_, HasSubstr("17 ranks, but 16 hosts have 16 slots (--slots gives them more)"));
    EXPECT_EQ(run("rankmap --slots z9=3"), 2);
    EXPECT_THAT(said_, HasSubstr("z9 is none of the hosts"));
    EXPECT_EQ(run("rankmap --slots 0"), 2);
    EXPECT_EQ(run("rankmap --hosts a00,z9"), 2);
    EXPECT_THAT(said_, HasSubstr("the topology lacks z9: run infer"));
    EXPECT_EQ(run("rankmap --method pattern"), 2);
    EXPECT_EQ(run("rankmap --cost bandwidth"), 2);
    EXPECT_THAT(said_, HasSubstr("run bwtree"));
    EXPECT_EQ(run("rankmap --run true"), 2);
    EXPECT_EQ(run("rankmap --format openmpi true"), 2);
    EXPECT_EQ(run("rankmap --pattern multipartition --np 15"), 2);
}

TEST(RankmapCommand, AsksForATopology) {
    SimShell shell(sim::read_lab("two_switches_8"));
    EXPECT_EQ(shell.run("rankmap").status, 2);
    EXPECT_THAT(shell.said(), HasSubstr("no topology is known: run infer"));
}

TEST_F(RankmapCommandLine, LostHostsAreLeftOutAndSaid) {
    shell_.world().crash("b02");
    run("ping");
    shell_.world().advance(std::chrono::seconds(60));
    ASSERT_EQ(run("rankmap --format slurm"), 0) << said_;
    EXPECT_THAT(said_, HasSubstr("left out, as they are lost: b02"));
    EXPECT_EQ(std::ranges::count(printed_, '\n'), 15);
    EXPECT_EQ(printed_.find("b02"), std::string::npos);
}

TEST_F(RankmapCommandLine, CommandsOnTheHostsKnowTheirRanks) {
    EXPECT_EQ(run("e --ranks true"), 1);
    EXPECT_THAT(said_, HasSubstr("no ranks are placed: run rankmap"));
    ASSERT_EQ(run("rankmap --method name --np 2"), 0) << said_;
    EXPECT_EQ(run("e --ranks true"), 1);
    EXPECT_THAT(said_, HasSubstr("no rank is placed on a[02-03],b[00-03]"));
    ASSERT_EQ(run("rankmap --method name --slots 2"), 0) << said_;
    ASSERT_EQ(run("e --ranks --on a01 'printenv TRELLIS_RANK; printenv TRELLIS_RANKS; printenv TRELLIS_NP'"),
              0);
    EXPECT_EQ(printed_, "a01: 2\na01: 2,3\na01: 32\n");
}

// A launcher that is a program of here: it shows what it was given. The file is in the simulated world.
TEST_F(RankmapCommandLine, StartsAProgramByTheFile) {
    const std::size_t paths = files().paths().size();
    const std::string show = R"('sh -c "echo given \$*; echo trouble >&2; exit 7" sh')";
    EXPECT_EQ(run("rankmap --np 2 --format mpich --launcher " + show + " --run ./solver -x"), 7) << said_;
    EXPECT_THAT(printed_, ContainsRegex("^given -f /.*/trellis-ranks-[0-9a-f]+ -n 2 ./solver -x\n$"))
        << said_;
    EXPECT_THAT(said_, HasSubstr("trouble"));
    EXPECT_EQ(files().paths().size(), paths);
}

}  // namespace
}  // namespace trellis
