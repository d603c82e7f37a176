// `infer` as hosts come and go, in the simulated world: what is kept, what is measured, what is found to have
// moved.
#include "agentd/model/topology_compare.hpp"
#include "agentd/model/topology_query.hpp"
#include "tests/scenario/sim_shell.hpp"
#include "tests/sim/effort.hpp"
#include "tests/sim/infer_families.hpp"
#include "tests/sim/topology_lab.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <unistd.h>
#include <vector>

#include <gmock/gmock.h>

namespace trellis {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr sim::ProbeCost cost_of_probes{1e9, std::chrono::microseconds(5)};

// A session over a noisy network, some of whose hosts are reached later than others.
class ChangingSession {
  public:
    explicit ChangingSession(const sim::NoisyNetwork& network, std::uint64_t seed = 1)
        : network_(network),
          round_trips_(network_, seed),
          shell_(sim::lab_of(network.truth, cost_of_probes), seed),
          seeded_(" --seed " + std::to_string(seed)) {
        shell_.world().set_noise([this](auto from, auto to, Duration passed) {
            ++probes_;
            return round_trips_.sample(static_cast<TopologyNode>(from), static_cast<TopologyNode>(to),
                                       shell_.world().time().now() - passed, passed);
        });
    }
    void explore(std::size_t first, std::size_t last) {
        std::string line = "explore";
        for (std::size_t i = first; i < last; ++i)
            line += " " + network_.truth.hosts[i];
        ASSERT_EQ(shell_.run(line).status, 0) << shell_.said();
        shell_.said();
    }
    // The exit status; what it said, took and probed is kept.
    int run(const std::string& line) {
        const TimePoint begun = shell_.world().time().now();
        probes_ = 0;
        const int status = shell_.run(line.starts_with("infer") ? line + seeded_ : line).status;
        took_ = std::chrono::duration<double>(shell_.world().time().now() - begun).count();
        said_ = shell_.said();
        return status;
    }
    [[nodiscard]] bool right() {
        const Topology found = shell_.topology()->topology();
        const Topology truth = project(network_.truth, found.hosts).value();
        const TopologyComparison comparison = compare_topologies(truth, found, {100, 1}).value();
        return comparison.robinson_foulds() == 0 && comparison.same_groups;
    }
    [[nodiscard]] std::vector<std::string> hosts() { return shell_.topology()->topology().hosts; }
    [[nodiscard]] const std::string& name(std::size_t host) const { return network_.truth.hosts[host]; }
    [[nodiscard]] SimShell& shell() { return shell_; }
    [[nodiscard]] const std::string& said() const { return said_; }
    [[nodiscard]] double seconds() const { return took_; }
    [[nodiscard]] std::size_t probes() const { return probes_; }

  private:
    sim::NoisyNetwork network_;
    sim::NoisyRoundTrips round_trips_;
    SimShell shell_;
    std::string seeded_;  // an option of every `infer`, which would draw a seed
    std::string said_;
    double took_ = 0;
    std::size_t probes_ = 0;
};

TEST(InferChanges, AHostThatJoinsIsPlacedByAFewPairs) {
    for (std::uint64_t seed = 1; seed <= sim::effort(3, 1); ++seed) {
        ChangingSession session(sim::lan_of_four_switches(seed), seed);
        session.explore(0, 63);
        ASSERT_EQ(session.run("infer"), 0) << session.said();
        session.explore(63, 64);
        ASSERT_EQ(session.run("infer"), 0) << session.said();
        EXPECT_THAT(session.said(),
                    HasSubstr("kept the topology of 63 hosts, measured 0 s ago; placed " + session.name(63)));
        EXPECT_EQ(session.hosts().size(), 64u);
        EXPECT_TRUE(session.right()) << session.said();
    }
}

TEST(InferChanges, ToFourDistantClustersInLessThanAThirdOfASecond) {
    for (std::uint64_t seed = 1; seed <= sim::effort(2, 1); ++seed) {
        ChangingSession session(sim::clusters_at_two_routers(seed, sim::wan_noise), seed);
        session.explore(0, 255);
        ASSERT_EQ(session.run("infer"), 0) << session.said();
        const bool right_before = session.right();
        session.explore(255, 256);
        ASSERT_EQ(session.run("infer"), 0) << session.said();
        EXPECT_THAT(session.said(),
                    ContainsRegex("kept the topology of 255 hosts, measured 0 s ago; placed [a-d]"));
        EXPECT_LE(session.seconds(), 0.3) << session.said();
        EXPECT_TRUE(session.right() || !right_before) << session.said();
    }
}

TEST(InferChanges, SeveralJoinAndOthersLeave) {
    ChangingSession session(sim::lan_of_four_switches(3), 3);
    session.explore(0, 56);
    ASSERT_EQ(session.run("infer"), 0) << session.said();
    session.explore(56, 64);
    for (std::size_t host = 0; host < 3; ++host)
        session.run("smask - " + session.name(host));
    ASSERT_EQ(session.run("infer"), 0) << session.said();
    EXPECT_THAT(session.said(), HasSubstr("kept the topology of 53 hosts, measured 0 s ago; placed "));
    EXPECT_EQ(session.hosts().size(), 61u);
    EXPECT_TRUE(session.right()) << session.said();
}

TEST(InferChanges, WhenHostsOnlyLeaveNothingIsMeasured) {
    ChangingSession session(sim::lan_of_four_switches(2), 2);
    session.explore(0, 64);
    ASSERT_EQ(session.run("infer"), 0) << session.said();
    session.run("smask - " + session.name(5));
    ASSERT_EQ(session.run("infer"), 0) << session.said();
    EXPECT_THAT(session.said(),
                HasSubstr("kept the topology of 63 hosts, measured 0 s ago; nothing was measured"));
    EXPECT_EQ(session.probes(), 0u);
    EXPECT_EQ(session.hosts().size(), 63u);
    EXPECT_TRUE(session.right());
}

TEST(InferChanges, TheTopologyOfEachSetOfHostsIsKeptSavedAndLoaded) {
    const std::string file = ::testing::TempDir() + "/topologies-" + std::to_string(getpid());
    {
        ChangingSession session(sim::lan_of_four_switches(2), 2);
        session.explore(0, 64);
        std::string some = "smask", others = "smask";
        for (std::size_t host = 0; host < 40; ++host)
            (host < 20 ? some : others) += " " + session.name(host);
        session.run(some);
        ASSERT_EQ(session.run("infer"), 0) << session.said();
        const std::vector<std::string> first = session.hosts();
        session.run("rmask");
        session.run(others);
        ASSERT_EQ(session.run("infer"), 0) << session.said();
        EXPECT_THAT(session.said(), HasSubstr("measured 190 of 190 pairs"));
        session.run("rmask");
        session.run(some);
        ASSERT_EQ(session.run("infer"), 0) << session.said();
        EXPECT_THAT(session.said(),
                    HasSubstr("kept the topology of 20 hosts, measured 0 s ago; nothing was"));
        EXPECT_EQ(session.hosts(), first);
        EXPECT_EQ(session.probes(), 0u);
        ASSERT_EQ(session.run("save " + file + " topologies"), 0) << session.said();
    }
    ChangingSession session(sim::lan_of_four_switches(2), 3);
    session.explore(20, 40);
    ASSERT_EQ(session.run("load " + file), 0) << session.said();
    std::filesystem::remove(file);
    session.run("rmask");  // the masks were loaded, too
    ASSERT_EQ(session.run("infer"), 0) << session.said();
    EXPECT_THAT(session.said(), HasSubstr("kept the topology of 20 hosts, measured 0 s ago; nothing was"));
    EXPECT_EQ(session.hosts().size(), 20u);
    EXPECT_TRUE(session.right());
}

TEST(InferChanges, WhoAsksAgainOrAnewHasAllMeasured) {
    ChangingSession session(sim::lan_of_four_switches(2), 2);
    session.explore(0, 64);
    ASSERT_EQ(session.run("infer"), 0) << session.said();
    ASSERT_EQ(session.run("infer"), 0) << session.said();
    EXPECT_THAT(session.said(), HasSubstr("measured 2016 of 2016 pairs"));
    session.run("smask - " + session.name(5));
    ASSERT_EQ(session.run("infer --anew"), 0) << session.said();
    EXPECT_THAT(session.said(), HasSubstr("measured 1953 of 1953 pairs"));
}

TEST(InferChanges, WhenManyJoinAllAreMeasured) {
    ChangingSession session(sim::lan_of_four_switches(4), 4);
    session.explore(0, 32);
    ASSERT_EQ(session.run("infer"), 0) << session.said();
    session.explore(32, 64);
    ASSERT_EQ(session.run("infer"), 0) << session.said();
    EXPECT_THAT(session.said(), HasSubstr("measured 2016 of 2016 pairs"));
}

TEST(InferChanges, ATopologyThatHoldsIsVerified) {
    ChangingSession session(sim::lan_of_four_switches(5), 5);
    session.explore(0, 64);
    EXPECT_EQ(session.run("infer --verify"), 2);
    EXPECT_THAT(session.said(), HasSubstr("no topology of these hosts is known: run infer"));
    ASSERT_EQ(session.run("infer"), 0) << session.said();
    EXPECT_EQ(session.run("infer --verify"), 0) << session.said();
    EXPECT_THAT(session.said(), HasSubstr("the topology of 64 hosts holds"));
    EXPECT_THAT(session.said(), HasSubstr("round trips differ from the topology's by "));
}

// Moves a host to a neighbouring switch.
sim::NoisyNetwork with_moved_host(sim::NoisyNetwork network, TopologyNode host) {
    for (TopologyLink& link : network.truth.links) {
        if (link.a != host && link.b != host) continue;
        TopologyNode& at = link.a == host ? link.b : link.a;
        const TopologyQuery tree(network.truth, at);
        at = *std::ranges::find_if(tree.children(at),
                                   [&](TopologyNode next) { return !network.truth.is_host(next); });
        break;
    }
    return network;
}

TEST(InferChanges, ALoadedTopologyOfWhichAHostHasMoved) {
    const std::string file = testing::TempDir() + "infer_changes_" + std::to_string(getpid()) + ".json";
    const sim::NoisyNetwork before = sim::lan_of_four_switches(8);
    Topology saved;
    {
        ChangingSession session(before, 6);
        session.explore(0, 64);
        ASSERT_EQ(session.run("infer"), 0) << session.said();
        ASSERT_EQ(session.run("save " + file + " topology"), 0) << session.said();
        saved = session.shell().topology()->topology();
    }
    ChangingSession session(with_moved_host(before, 30), 7);
    session.explore(0, 64);
    ASSERT_EQ(session.run("load " + file), 0) << session.said();
    EXPECT_EQ(session.shell().topology()->topology(), saved);
    EXPECT_EQ(session.run("infer --verify"), 1);
    EXPECT_THAT(session.said(), HasSubstr(session.name(30) + " moved: round trips differ by "));
    EXPECT_THAT(session.said(), HasSubstr("does not hold: run infer --anew"));
    session.run("smask - " + session.name(20));
    ASSERT_EQ(session.run("infer"), 0) << session.said();
    EXPECT_THAT(session.said(), HasSubstr("kept the topology of 63 hosts"));
    std::filesystem::remove(file);
}

TEST(InferChanges, AWatchPlacesWhatHasMovedAndEndsByCtrlC) {
    const std::string file = testing::TempDir() + "infer_watch_" + std::to_string(getpid()) + ".json";
    const sim::NoisyNetwork before = sim::lan_of_four_switches(8);
    {
        ChangingSession session(before, 6);
        session.explore(0, 64);
        ASSERT_EQ(session.run("infer"), 0) << session.said();
        ASSERT_EQ(session.run("save " + file + " topology"), 0) << session.said();
    }
    ChangingSession session(with_moved_host(before, 30), 7);
    session.explore(0, 64);
    ASSERT_EQ(session.run("load " + file), 0) << session.said();
    EXPECT_FALSE(session.right());
    session.shell().press_after(std::chrono::seconds(8));
    EXPECT_NE(session.run("infer --watch 2"), 0);
    EXPECT_THAT(session.said(), HasSubstr("placed " + session.name(30)));
    EXPECT_THAT(session.said(), Not(HasSubstr("measured 2016")));
    EXPECT_TRUE(session.right()) << session.said();
    EXPECT_LT(session.seconds(), 9);
    std::filesystem::remove(file);
}

TEST(InferChanges, AWatchReadsItsInterval) {
    ChangingSession session(sim::lan_of_four_switches(8), 7);
    session.explore(0, 8);
    EXPECT_EQ(session.run("infer --watch never"), 2);
    EXPECT_THAT(session.said(), HasSubstr("--watch never: not a number of seconds"));
    session.shell().press_after(std::chrono::seconds(15));
    EXPECT_NE(session.run("infer --watch"), 0);
    EXPECT_THAT(session.said(), HasSubstr("measured 28 of 28 pairs"));
    EXPECT_GT(session.seconds(), 14);
}

TEST(InferChanges, VerifyAndWatchAreNotForThePublishedMethodNorForAFile) {
    SimShell shell(sim::read_lab("two_switches_8"));
    ASSERT_EQ(shell.explore_all(), 0);
    ASSERT_EQ(shell.run("infer").status, 0);
    for (const char* line : {"infer --method published --verify", "infer --method published --watch 1",
                             "infer --rtt matrix.txt --verify", "infer --rtt matrix.txt --anew"})
        EXPECT_EQ(shell.run(line).status, 2) << line;
}

}  // namespace
}  // namespace trellis
