// `infer --rtt FILE`, from the shell's command line: what it prints and publishes, and what it says of files
// that are no matrix.
#include "agentd/model/topology_compare.hpp"
#include "agentd/model/topology_json.hpp"
#include "agentd/model/topology_query.hpp"
#include "tests/scenario/sim_shell.hpp"
#include "tests/sim/random_topology.hpp"
#include "tests/sim/topology_lab.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

#include <gmock/gmock.h>

namespace trellis {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class InferFile : public testing::Test {
  protected:
    void TearDown() override { std::filesystem::remove(path_); }

    LineResult infer(const std::string& text, const std::string& options = "") {
        std::ofstream(path_, std::ios::binary) << text;
        return shell_.run("infer --rtt " + path_ + " " + options);
    }
    void expect_refused(const std::string& text, const std::string& why) {
        EXPECT_EQ(infer(text).status, 1) << text;
        EXPECT_THAT(shell_.said(), HasSubstr("infer: " + path_ + ": " + why));
        EXPECT_EQ(shell_.printed(), "");
        EXPECT_FALSE(shell_.topology());
    }

    SimShell shell_{sim::read_lab("two_switches_8")};
    std::string path_ =
        (std::filesystem::temp_directory_path() / ("trellis-rtt-" + std::to_string(::getpid()) + ".txt"))
            .string();
};

// With names in the first line and in the first field of each other line, in milliseconds.
std::string matrix_text(const Topology& truth) {
    const TopologyQuery query(truth);
    std::string text = "#\n-";
    for (const std::string& host : truth.hosts)
        text += " " + host;
    for (TopologyNode a = 0; a < truth.hosts.size(); ++a) {
        text += "\n" + truth.hosts[a];
        for (TopologyNode b = 0; b < truth.hosts.size(); ++b) {
            char field[32];
            std::snprintf(field, sizeof field, " %.9f", 2e-3 * query.distance(a, b).count());
            text += field;
        }
    }
    return text + "\n";
}

constexpr const char* four_hosts = "0 1 4 4\n1 0 4 4\n4 4 0 1\n4 4 1 0\n";

TEST_F(InferFile, FindsTheTreeWithoutAnyHostAndPublishesIt) {
    const Topology truth = sim::random_topology(20, sim::TreeShape::two_levels, 1);
    ASSERT_EQ(infer(matrix_text(truth), "--json").status, 0) << shell_.said();
    EXPECT_THAT(shell_.said(), HasSubstr("tree of 20 hosts from 190 pairs in "));
    const Topology printed = parse_topology(shell_.printed()).value();
    EXPECT_EQ(printed.hosts, truth.hosts);
    EXPECT_EQ(compare_topologies(truth, printed, {100, 1}).value().robinson_foulds(), 0u);
    ASSERT_TRUE(shell_.topology());
    EXPECT_EQ(shell_.topology()->topology(), printed);
}

TEST_F(InferFile, NumbersHostsWithoutNames) {
    ASSERT_EQ(infer(four_hosts).status, 0);
    EXPECT_THAT(shell_.said(), HasSubstr("4 hosts from 6 pairs"));
    EXPECT_THAT(shell_.topology()->topology().hosts, ::testing::ElementsAre("0", "1", "2", "3"));
    EXPECT_EQ(shell_.topology()->topology().switches.size(), 2u);
    EXPECT_THAT(shell_.printed(), HasSubstr("2 hosts, 250 us"));
}

TEST_F(InferFile, SaysHowFarTheTreeIsFromTheMatrix) {
    ASSERT_EQ(infer(four_hosts).status, 0);
    EXPECT_THAT(shell_.said(), HasSubstr("median 0.0%, 90th percentile 0.0%"));
    std::string no_tree;
    for (int a = 0; a < 10; ++a, no_tree += '\n')
        for (int b = 0; b < 10; ++b)
            no_tree += std::to_string(1 + (7 * a * b + a + b) % 9) + " ";
    ASSERT_EQ(infer(no_tree).status, 0);
    const std::string said = shell_.said();
    EXPECT_THAT(said, Not(HasSubstr("90th percentile 0.0%")));
    EXPECT_THAT(said, HasSubstr("worst pairs: "));
    EXPECT_THAT(said, HasSubstr("worst hosts, "));
}

TEST_F(InferFile, TakesOneHostAndTwo) {
    ASSERT_EQ(infer("0\n").status, 0) << shell_.said();
    EXPECT_THAT(shell_.said(), HasSubstr("tree of 1 hosts from 0 pairs"));
    EXPECT_EQ(shell_.topology()->topology().links.size(), 0u);
    ASSERT_EQ(infer("a b\n0 3\n3 0\n", "--newick").status, 0) << shell_.said();
    ASSERT_EQ(shell_.topology()->topology().links.size(), 1u);
    EXPECT_NEAR(shell_.topology()->topology().links[0].delay.count(), 1500, 1e-6);
}

TEST_F(InferFile, SaysWhatIsWrongWithTheFile) {
    expect_refused("", "the matrix is empty");
    expect_refused("0 1\n1 0 2\n", "line 2: 3 fields instead of 2");
    expect_refused("0 -2\n-2 0\n", "line 1, field 2: a negative round-trip time");
    expect_refused("0 1\n1 x\n0 1", "");
    expect_refused("0 -\n- 0\n", "");
    EXPECT_EQ(shell_.run("infer --rtt /nowhere/rtt.txt").status, 1);
    EXPECT_THAT(shell_.said(), HasSubstr("infer: /nowhere/rtt.txt: No such file or directory"));
    EXPECT_EQ(shell_.run("infer --rtt /tmp").status, 1);
    EXPECT_THAT(shell_.said(), HasSubstr("infer: /tmp: Is a directory"));
}

TEST_F(InferFile, RefusesAFileThatIsTooLong) {
    std::ofstream{path_}.close();
    std::filesystem::resize_file(path_, (std::uintmax_t{64} << 20) + 1);
    EXPECT_EQ(shell_.run("infer --rtt " + path_).status, 1);
    EXPECT_THAT(shell_.said(), HasSubstr(path_ + ": more than 67108864 bytes"));
}

TEST_F(InferFile, RefusesOptionsOfMeasurements) {
    for (const char* option : {"--gentle", "--seed 3", "--method published", "--confidence 0.9"}) {
        EXPECT_EQ(infer(four_hosts, option).status, 2) << option;
        EXPECT_THAT(shell_.said(), HasSubstr("--rtt measures nothing")) << option;
    }
}

}  // namespace
}  // namespace trellis
