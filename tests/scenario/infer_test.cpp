// `infer` from the shell's command line to the roles on the hosts, in the simulated world: what it finds
// without noise, and what becomes of it when hosts die or fall silent.
#include "agentd/model/topology_compare.hpp"
#include "agentd/model/topology_query.hpp"
#include "tests/lab/lab_truth.hpp"
#include "tests/scenario/sim_shell.hpp"
#include "tests/sim/effort.hpp"
#include "tests/sim/noise.hpp"
#include "tests/sim/random_topology.hpp"
#include "tests/sim/source_networks.hpp"
#include "tests/sim/topology_lab.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

namespace trellis {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

std::string infer(std::uint64_t seed, const std::string& method = "published") {
    return "infer --method " + method + " --seed " + std::to_string(seed);
}

void set_cpu_cost(sim::SimWorld& world, Duration cost) {
    for (sim::MachineIndex i = 0; i < world.network().file().hosts.size(); ++i)
        world.network().set_cpu_cost(i, cost);
}

TopologyComparison compare(const Topology& truth, const Topology& inferred) {
    return compare_topologies(truth, inferred, {2000, 1}).value();
}

void expect_same_switches(const Topology& truth, const Topology& inferred) {
    const TopologyComparison comparison = compare(truth, inferred);
    EXPECT_EQ(comparison.robinson_foulds(), 0u);
    EXPECT_TRUE(comparison.same_groups);
    EXPECT_EQ(inferred.switches.size(), visible_part(truth).switches.size());
}

TEST(InferSimulated, FindsTheSwitchesOfTheLaboratoriesInAnyOrderOfHosts) {
    for (const char* name : {"two_switches_8", "four_switches_16", "two_clusters_32"}) {
        SimShell shell(sim::read_lab(name));
        const Topology truth = lab::truth_of(shell.world().network().file(), {"ctl"}).value();
        ASSERT_EQ(shell.explore_all(), 0) << shell.said();
        for (std::uint64_t seed = 1; seed <= 5; ++seed) {
            EXPECT_EQ(shell.run(infer(seed)).status, 0) << shell.said();
            expect_same_switches(truth, shell.topology()->topology());
            ASSERT_FALSE(HasFailure()) << name << ", seed " << seed;
        }
    }
}

TEST(InferSimulated, FindsRandomNetworksExactly) {
    for (std::uint64_t seed = 1; seed <= sim::effort(20, 8); ++seed) {
        const sim::TreeShape shape = sim::all_tree_shapes[seed % 5];
        const bool deep = shape == sim::TreeShape::chain || shape == sim::TreeShape::deep;
        const Topology truth = sim::random_topology(deep ? 3 + seed : 3 * seed, shape, seed);
        SimShell shell(sim::lab_of(truth));
        set_cpu_cost(shell.world(), Duration(0));
        ASSERT_EQ(shell.explore_all(), 0) << shell.said();
        ASSERT_EQ(shell.run(infer(seed)).status, 0) << shell.said();
        expect_same_switches(truth, shell.topology()->topology());
        EXPECT_LT(compare(truth, shell.topology()->topology()).largest_error, Delay{0.02});
        ASSERT_FALSE(HasFailure()) << "seed " << seed;
    }
}

// One inference on 16 hosts on 4 switches, of which one that no other depends on in the control tree comes to
// harm.
class HarmedInference {
  public:
    using Harm = std::function<void(sim::SimWorld& world, const std::string& victim)>;

    explicit HarmedInference(std::string method) : method_(std::move(method)) {
        EXPECT_EQ(shell_.explore_all(), 0) << shell_.said();
    }

    // Harms the n-th such host `after` the start; true if the inference was still running then.
    bool run(std::size_t n, Duration after, const Harm& harm) {
        victim_ = leaves().at(n);
        const auto running = std::make_shared<bool>(true);
        const auto harmed = std::make_shared<bool>(false);
        auto& time = shell_.world().time();
        time.at(time.now() + after, [this, running, harmed, harm] {
            *harmed = *running;
            if (*harmed) harm(shell_.world(), victim_);
        });
        const TimePoint begun = time.now();
        status_ = shell_.run(infer(7 + n, method_)).status;
        took_ = time.now() - begun;
        *running = false;
        said_ = shell_.said();
        return *harmed;
    }
    void expect_all_but_the_victim() {
        EXPECT_EQ(status_, 1);
        EXPECT_THAT(said_, HasSubstr("infer: " + victim_ + ": "));
        const auto found = shell_.topology();
        ASSERT_TRUE(found) << said_;
        const Topology truth = lab::truth_of(shell_.world().network().file(), {"ctl", victim_}).value();
        ASSERT_EQ(found->topology().hosts, truth.hosts);
        expect_same_switches(truth, found->topology());
    }
    void expect_everybody() {
        EXPECT_EQ(status_, 0) << said_;
        ASSERT_TRUE(shell_.topology()) << said_;
        expect_same_switches(lab::truth_of(shell_.world().network().file(), {"ctl"}).value(),
                             shell_.topology()->topology());
    }
    // Harmed so late that the others had all they needed of it.
    [[nodiscard]] bool finished_in_time() const {
        return status_ == 0 && said_.find("measured 120 of 120 pairs") != std::string::npos;
    }
    [[nodiscard]] Duration took() const { return took_; }

  private:
    std::vector<std::string> leaves() {
        const auto& members = shell_.world().root().membership().members();
        std::vector<std::string> names;
        for (const auto& [id, member] : members) {
            const auto child = [id = id](const auto& other) { return other.second.parent == id; };
            if (std::ranges::none_of(members, child)) names.push_back(member.host.name);
        }
        return names;
    }

    std::string method_;
    SimShell shell_{sim::read_lab("four_switches_16")};
    std::string victim_;
    int status_ = -1;
    Duration took_{0};
    std::string said_;
};

const std::vector<int> early_and_late{0, 1, 2, 5, 20, 40, 60, 80, 100, 120, 150, 200};
const std::vector<int> early{0, 1, 2, 3, 5, 8, 10, 15, 20, 25, 30, 40};

// Harms one host at a time, at moments from the start of the inference to its end.
void expect_left_out(const std::string& method, const HarmedInference::Harm& harm, Duration most) {
    const std::array<std::size_t, 3> leaves{0, 3, 8};
    const auto victims = std::span(leaves).first(sim::effort(leaves.size(), 1));
    std::size_t harmed = 0;
    for (const int after : method == "published" ? early_and_late : early) {
        for (const std::size_t n : victims) {
            HarmedInference inference(method);
            if (!inference.run(n, milliseconds(after), harm)) continue;
            if (method == "survey" && inference.finished_in_time()) continue;
            ++harmed;
            inference.expect_all_but_the_victim();
            EXPECT_LT(inference.took(), most);
            ASSERT_FALSE(testing::Test::HasFailure()) << "harmed after " << after << " ms, leaf " << n;
        }
    }
    EXPECT_GE(harmed, sim::effort(15, 3));
}

class InferHarmed : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Methods, InferHarmed, testing::Values("published", "survey"),
                         [](const auto& method) { return std::string(method.param); });

TEST_P(InferHarmed, AnAgentThatIsKilledIsLeftOut) {
    expect_left_out(
        GetParam(), [](auto& world, const auto& victim) { world.kill(victim); }, seconds(1));
}

TEST_P(InferHarmed, AHostThatLosesItsPowerIsLeftOut) {
    expect_left_out(
        GetParam(), [](auto& world, const auto& victim) { world.crash(victim); }, seconds(15));
}

TEST_P(InferHarmed, AnAgentThatHangsIsLeftOut) {
    expect_left_out(
        GetParam(), [](auto& world, const auto& victim) { world.stop(victim); }, seconds(15));
}

// A pair or two of it may be missed.
TEST(InferSurvey, AnAgentThatHangsForAWhileIsNotLeftOut) {
    for (const std::size_t n : {0u, 3u, 8u}) {
        HarmedInference inference("survey");
        const auto hang_for_a_while = [](sim::SimWorld& world, const std::string& victim) {
            world.stop(victim);
            world.time().at(world.time().now() + seconds(5), [&world, victim] { world.resume(victim); });
        };
        ASSERT_TRUE(inference.run(n, milliseconds(20), hang_for_a_while));
        inference.expect_everybody();
        EXPECT_GT(inference.took(), seconds(4));
        EXPECT_LT(inference.took(), seconds(15));
    }
}

TEST_P(InferHarmed, AHostWhoseCableIsPulledIsLeftOut) {
    expect_left_out(
        GetParam(), [](auto& world, const auto& victim) { world.cut(victim, sim::Cut::silent); },
        seconds(15));
}

// The probes of a tournament, as the noise of the simulated world sees them: of each pair 10 in each set,
// after the two round trips of its connection.
class WatchedTournament {
  public:
    struct Span {
        TimePoint from, to;
        sim::MachineIndex peer;
    };
    explicit WatchedTournament(std::size_t hosts)
        : shell_(sim::lab_of(sim::one_cluster(hosts).truth, {1e9, std::chrono::microseconds(5)})) {
        shell_.world().set_noise([this](auto from, auto to, Duration passed) {
            note(from, to, passed);
            return passed + std::chrono::microseconds((from * 7 + to * 11 + ++seen_ * 13) % 50);
        });
        EXPECT_EQ(shell_.explore_all(), 0) << shell_.said();
    }
    [[nodiscard]] SimShell& shell() { return shell_; }
    // By host, in the order of time.
    [[nodiscard]] std::map<sim::MachineIndex, std::vector<Span>> spans() const {
        std::map<sim::MachineIndex, std::vector<Span>> all;
        for (const auto& [pair, spans] : pairs_)
            for (const auto& [from, to] : spans) {
                all[pair.first].push_back({from, to, pair.second});
                all[pair.second].push_back({from, to, pair.first});
            }
        for (auto& [host, spans] : all)
            std::ranges::sort(spans, {}, &Span::from);
        return all;
    }

  private:
    void note(sim::MachineIndex from, sim::MachineIndex to, Duration passed) {
        const TimePoint now = shell_.world().time().now();
        const int count = counts_[std::minmax(from, to)]++ - round_trips_before;
        if (count < 0 || count % 12 < 2) return;
        auto& spans = pairs_[{from, to}];
        const bool again = spans.empty() || now - passed - spans.back().second > std::chrono::milliseconds(1);
        if (again) spans.emplace_back(now - passed, now);
        spans.back().second = now;
    }

    static constexpr int round_trips_before = 5;  // of each pair, in the first look at all hosts
    SimShell shell_;
    std::size_t seen_ = 0;
    std::map<std::pair<sim::MachineIndex, sim::MachineIndex>, int> counts_;
    std::map<std::pair<sim::MachineIndex, sim::MachineIndex>, std::vector<std::pair<TimePoint, TimePoint>>>
        pairs_;
};

TEST(InferSurvey, InATournamentNoHostIsInTwoMeasurementsAtOnce) {
    WatchedTournament tournament(17);
    ASSERT_EQ(tournament.shell().run("infer --seed 1").status, 0) << tournament.shell().said();
    const auto all = tournament.spans();
    ASSERT_EQ(all.size(), 17u);
    for (const auto& [host, spans] : all) {
        std::set<sim::MachineIndex> peers;
        for (const auto& span : spans)
            peers.insert(span.peer);
        EXPECT_EQ(peers.size(), 16u);
        for (std::size_t i = 1; i < spans.size(); ++i)
            EXPECT_LE(spans[i - 1].to, spans[i].from)
                << host << ": " << spans[i - 1].peer << ", " << spans[i].peer;
    }
}

TEST(InferSurvey, SaysWhatItMeasuredAndHowMuchItSent) {
    SimShell shell(sim::read_lab("two_switches_8"));
    ASSERT_EQ(shell.explore_all(), 0);
    ASSERT_EQ(shell.run("infer").status, 0);
    const std::string said = shell.said();
    EXPECT_THAT(said, HasSubstr(" of 28 pairs in "));
    EXPECT_THAT(said, ContainsRegex("at most [0-9,]+ probes a second from one host, [0-9,]+ from all on the "
                                    "average; [0-9.]+ MB in all"));
    EXPECT_TRUE(shell.topology());
}

TEST(InferSurvey, GentleSendsAtMostTwoHundredProbesASecond) {
    SimShell shell(sim::read_lab("two_switches_8"));
    std::map<sim::MachineIndex, std::vector<TimePoint>> probes;
    shell.world().set_noise([&](auto from, auto, Duration passed) {
        probes[from].push_back(shell.world().time().now());
        return passed;
    });
    ASSERT_EQ(shell.explore_all(), 0);
    ASSERT_EQ(shell.run("infer --gentle").status, 0);
    EXPECT_THAT(shell.said(), HasSubstr("at most 200 probes a second from one host"));
    // With those that open connections, in half a second.
    for (const auto& [host, times] : probes)
        for (std::size_t i = 120; i < times.size(); ++i)
            EXPECT_GT(times[i] - times[i - 120], milliseconds(500));
}

TEST(InferSurvey, RefusesOptionsThatMeanNothing) {
    SimShell shell(sim::read_lab("two_switches_8"));
    ASSERT_EQ(shell.explore_all(), 0);
    EXPECT_EQ(shell.run("infer --confidence 1.5").status, 2);
    EXPECT_THAT(shell.said(), HasSubstr("--confidence 1.5: not a probability between 0 and 1"));
    EXPECT_EQ(shell.run("infer --method published --gentle").status, 2);
    EXPECT_THAT(shell.said(), HasSubstr("not for the published method"));
    EXPECT_EQ(shell.run("infer --confidence 0.9 --method survey").status, 0);
}

// What one inference under noise finds, and when it ends.
std::pair<Topology, TimePoint> infer_under_noise(std::uint64_t seed) {
    const sim::NoisyNetwork network = sim::one_cluster(32);
    SimShell shell(sim::lab_of(network.truth, {1e9, std::chrono::microseconds(5)}), seed);
    sim::RoundTripNoise noise(seed);
    shell.world().set_noise([&](auto from, auto to, Duration passed) {
        const auto a = static_cast<TopologyNode>(from), b = static_cast<TopologyNode>(to);
        return std::chrono::duration_cast<Duration>(noise.sample(network.noise(a, b), a, b, passed));
    });
    EXPECT_EQ(shell.explore_all(), 0);
    EXPECT_EQ(shell.run(infer(seed)).status, 0) << shell.said();
    return {shell.topology()->topology(), shell.world().time().now()};
}

TEST(InferSimulated, OneSeedGivesOneResult) {
    const auto first = infer_under_noise(1);
    EXPECT_EQ(first, infer_under_noise(1));
    EXPECT_NE(first, infer_under_noise(2));
}

}  // namespace
}  // namespace trellis
