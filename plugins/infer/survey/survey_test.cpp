#include "plugins/infer/survey/survey.hpp"

#include "tests/sim/effort.hpp"
#include "tests/sim/network_sketch.hpp"
#include "tests/sim/random_topology.hpp"
#include "tests/sim/source_networks.hpp"
#include "tests/sim/survey_answers.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace trellis::plugins::infer {
namespace {

using sim::difference;
using sim::NoisyNetwork;

// A whole inference in which something may happen to each batch, whose number is told, and to its samples.
using Meddle = std::function<void(Survey&, int batch, std::vector<PairSample>& samples)>;
InferenceResult survey_with(const NoisyNetwork& network, std::uint64_t seed, const Meddle& meddle) {
    sim::SurveyAnswers answers(network, seed);
    Survey survey(network.truth.hosts, {.seed = seed});
    int number = 0;
    while (const std::optional<Batch> batch = survey.next()) {
        std::vector<PairSample> samples = answers.measure(*batch);
        meddle(survey, ++number, samples);
        survey.take(samples);
    }
    return {survey.topology(), survey.remarks()};
}

bool some_remark(const InferenceResult& result, const std::string& words) {
    return std::ranges::any_of(result.remarks,
                               [&](const std::string& one) { return one.find(words) != std::string::npos; });
}

std::vector<std::string> all_but(const std::vector<std::string>& hosts, const std::string& out) {
    std::vector<std::string> kept;
    std::ranges::copy_if(hosts, std::back_inserter(kept), [&](const auto& host) { return host != out; });
    return kept;
}

// Clusters of one switch each at one router, 2 ms apart.
NoisyNetwork star_of_clusters(const std::vector<std::size_t>& sizes) {
    sim::NetworkSketch sketch(9);
    const std::size_t router = sketch.add_switch("router");
    for (std::size_t c = 0; c < sizes.size(); ++c) {
        sketch.add_cluster(sim::no_noise);
        const std::size_t at = sketch.add_switch("switch" + std::to_string(c));
        sketch.join(at, router, sketch.around(Delay{500}));
        for (std::size_t i = 0; i < sizes[c]; ++i)
            sketch.add_host(std::string(1, static_cast<char>('a' + c)) + std::to_string(i), at,
                            sketch.around(Delay{20}));
    }
    NoisyNetwork network = sketch.build();
    network.between = sim::no_noise;
    return network;
}

TEST(SurveyedTree, IsTheTrueOneWhereItIsMeasuredExactly) {
    for (std::uint64_t seed = 1; seed <= sim::effort(40, 5); ++seed) {
        const NoisyNetwork network =
            sim::one_noise(sim::random_topology(3 + (seed * 41) % 118, sim::all_tree_shapes[seed % 5], seed));
        const InferenceResult result = sim::survey(network, {.seed = seed});
        ASSERT_EQ(difference(network.truth, result.topology), "") << "seed " << seed;
        EXPECT_EQ(result.topology.hosts, network.truth.hosts);
        EXPECT_LE(sim::largest_error(network.truth, result.topology), Delay{0.05}) << "seed " << seed;
    }
}

TEST(SurveyedTree, HasOneTwoOrThreeHosts) {
    for (std::size_t hosts = 1; hosts <= 3; ++hosts) {
        const NoisyNetwork network = star_of_clusters({hosts});
        const Topology found = sim::survey(network, {}).topology;
        EXPECT_EQ(difference(network.truth, found), "") << hosts;
        EXPECT_EQ(found.hosts, network.truth.hosts);
        EXPECT_LE(sim::largest_error(network.truth, found), Delay{0.01});
    }
}

TEST(SurveyedTree, HasClustersOfFewHosts) {
    for (const std::vector<std::size_t>& sizes :
         std::vector<std::vector<std::size_t>>{{5, 1}, {1, 5}, {3, 3}, {8, 1, 1}, {10, 6, 2}}) {
        const NoisyNetwork network = star_of_clusters(sizes);
        EXPECT_EQ(difference(network.truth, sim::survey(network, {}).topology), "")
            << testing::PrintToString(sizes);
    }
}

TEST(SurveyedTree, HasExactClustersRightlyPaired) {
    for (const sim::NoiseProfile& between : {sim::wan_noise, sim::wan_rough_noise})
        for (std::uint64_t seed = 1; seed <= sim::effort(3, 1); ++seed) {
            NoisyNetwork network = sim::four_clusters(64);
            network.between = between;
            const Topology found = sim::survey(network, {.seed = seed}).topology;
            ASSERT_TRUE(validate(found));
            for (std::size_t c = 0; c < 4; ++c) {
                const auto first = network.truth.hosts.begin() + static_cast<std::ptrdiff_t>(64 * c);
                const std::vector<std::string> hosts(first, first + 64);
                EXPECT_EQ(difference(*project(network.truth, hosts), *project(found, hosts)), "")
                    << between.name << ", seed " << seed << ", cluster " << c;
            }
            const std::vector<std::string> one_of_each{"a05", "b05", "c05", "d05"};
            EXPECT_EQ(difference(*project(network.truth, one_of_each), *project(found, one_of_each)), "")
                << between.name << ", seed " << seed;
        }
}

TEST(SurveyedTree, IsTheSameForEqualSeeds) {
    const NoisyNetwork network = sim::four_clusters(16);
    const InferenceResult one = sim::survey(network, {.seed = 5}), two = sim::survey(network, {.seed = 5});
    EXPECT_EQ(one.topology, two.topology);
    EXPECT_EQ(one.remarks, two.remarks);
}

TEST(SurveyedTree, LeavesOutAHostWheneverItGoes) {
    const NoisyNetwork network = star_of_clusters({12, 8, 4});
    for (const int when : {0, 1, 2, 3})
        for (const HostNumber host : {HostNumber{0}, HostNumber{13}, HostNumber{23}}) {
            const std::string& name = network.truth.hosts[host];
            sim::SurveyAnswers answers(network, 1);
            Survey survey(network.truth.hosts, {});
            if (when == 0) survey.leave_out(host);
            int number = 0;
            while (const std::optional<Batch> batch = survey.next()) {
                std::vector<PairSample> samples = answers.measure(*batch);
                if (++number >= when)
                    std::erase_if(samples, [&](const auto& one) { return one.a == host || one.b == host; });
                survey.take(samples);
                if (number == when) survey.leave_out(host);
            }
            ASSERT_GE(number, 3);
            const Topology found = survey.topology();
            ASSERT_TRUE(validate(found)) << "after batch " << when;
            const std::vector<std::string> others = all_but(network.truth.hosts, name);
            EXPECT_EQ(all_but(found.hosts, name), others);
            if (when < 3) {
                EXPECT_EQ(found.hosts, others) << name << " after batch " << when;
            }
            EXPECT_EQ(difference(*project(network.truth, others), *project(found, others)), "")
                << name << " after batch " << when;
        }
}

TEST(SurveyedTree, IsEmptyIfAllHostsGo) {
    Survey survey({"a", "b"}, {});
    survey.leave_out(0);
    survey.leave_out(1);
    while (const std::optional<Batch> batch = survey.next())
        EXPECT_EQ(batch->pairs(), 0u);
    EXPECT_TRUE(survey.topology().hosts.empty());
}

TEST(SurveyedTree, GivesNoPlaceToAHostWithFewPairs) {
    const NoisyNetwork network = sim::one_noise(sim::one_cluster(32).truth);
    const InferenceResult result = survey_with(network, 1, [](Survey&, int, auto& samples) {
        std::erase_if(samples, [](const PairSample& one) {
            return (one.a == 7 || one.b == 7) && (one.a + one.b) % 8 != 0;
        });
    });
    const std::vector<std::string> others = all_but(network.truth.hosts, network.truth.hosts[7]);
    EXPECT_EQ(result.topology.hosts, others);
    EXPECT_EQ(difference(*project(network.truth, others), result.topology), "");
}

TEST(SurveyedTree, SurvivesPairsMissingAtRandom) {
    const NoisyNetwork network = sim::one_noise(sim::one_cluster(64).truth);
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        std::mt19937_64 random(seed);
        const InferenceResult result = survey_with(network, seed, [&](Survey&, int, auto& samples) {
            std::erase_if(samples, [&](const PairSample&) { return random() % 10 == 0; });
        });
        EXPECT_EQ(difference(network.truth, result.topology), "") << "seed " << seed;
    }
}

TEST(SurveyedTree, IsTheSameIfAnswersComeTwice) {
    const NoisyNetwork network = sim::four_clusters(16);
    const auto twice = [](Survey&, int, std::vector<PairSample>& samples) {
        const std::vector<PairSample> once = samples;
        for (const PairSample& one : once)
            samples.push_back({one.b, one.a, one.rtt_us, one.spread_us});
    };
    const auto as_is = [](Survey&, int, std::vector<PairSample>&) {};
    EXPECT_EQ(difference(survey_with(network, 3, as_is).topology, survey_with(network, 3, twice).topology),
              "");
}

TEST(SurveyedTree, IsValidWhateverIsAnswered) {
    const NoisyNetwork network = star_of_clusters({9, 6, 2});
    for (std::uint64_t seed = 1; seed <= sim::effort(50, 8); ++seed) {
        std::mt19937_64 random(seed);
        const InferenceResult result = survey_with(network, seed, [&](Survey& survey, int, auto& samples) {
            std::erase_if(samples, [&](const PairSample&) { return random() % 3 == 0; });
            for (PairSample& one : samples)
                if (random() % 4 == 0) one.rtt_us = random() % 2 == 0 ? 0 : 1e12;
            if (random() % 4 == 0) survey.leave_out(static_cast<HostNumber>(random() % 17));
        });
        const Result<void> valid = validate(result.topology);
        EXPECT_TRUE(result.topology.hosts.empty() || valid)
            << "seed " << seed << (valid ? "" : ": " + valid.error().cause);
    }
}

TEST(SurveyRemarks, NameNoisyHosts) {
    NoisyNetwork network = sim::one_cluster(64);
    network.throttled = {5, 40};
    const InferenceResult result = sim::survey(network, {.seed = 2});
    EXPECT_TRUE(some_remark(result, "noisy"));
    EXPECT_TRUE(some_remark(result, "05") && some_remark(result, "40"));
    EXPECT_FALSE(some_remark(sim::survey(sim::one_cluster(64), {.seed = 2}), "noisy"));
}

TEST(SurveyRemarks, TellTheNoiseThatTheTreeLeaves) {
    EXPECT_TRUE(some_remark(sim::survey(sim::one_cluster(32), {}), "standard deviation"));
    EXPECT_TRUE(some_remark(sim::survey(sim::four_clusters(8), {}), "between clusters"));
}

// Two switches so near to one another that they are told apart in some of the networks only.
TEST(SurveyRemarks, NameWhatMayBeTwoSwitches) {
    int doubted = 0;
    for (std::uint64_t seed = 1; seed <= 30 && doubted == 0; ++seed) {
        sim::NetworkSketch sketch(seed);
        sketch.add_cluster({.name = "pairs", .pair_offset_sd = Delay{3}});
        sketch.join(sketch.add_switch("left"), sketch.add_switch("right"),
                    Delay{0.5 + 0.01 * static_cast<double>(seed)});
        for (std::size_t i = 0; i < 64; ++i)
            sketch.add_host("h" + std::to_string(i), i % 2, Delay{20});
        const InferenceResult result = sim::survey(sketch.build(), {.seed = seed});
        if (result.topology.switches.size() == 1 && some_remark(result, "may be two switches")) ++doubted;
    }
    EXPECT_GT(doubted, 0);
}

// Leaf switches of 8 hosts, each joined to each spine by a cable of its own length. The spine depends on the
// two leaves.
NoisyNetwork leaf_and_spine(std::size_t leaves, std::size_t spines, std::uint64_t seed) {
    constexpr std::size_t hosts_each = 8;
    sim::NetworkSketch sketch(seed);
    sketch.add_cluster({.name = "cables", .pair_offset_sd = Delay{0.1}});
    const std::size_t core = sketch.add_switch("core");
    std::vector<Delay> delays(leaves * hosts_each, Delay{20});
    for (std::size_t leaf = 0; leaf < leaves; ++leaf) {
        const std::size_t at = sketch.add_switch("leaf" + std::to_string(leaf));
        sketch.join(at, core, Delay{5});
        for (std::size_t i = 0; i < hosts_each; ++i)
            sketch.add_host("h" + std::to_string(leaf * hosts_each + i), at, Delay{20});
        for (std::size_t spine = 0; spine < spines; ++spine)
            delays.push_back(Delay{sketch.between(2, 8)});
    }
    std::vector<std::size_t> spine_of(leaves * leaves);
    for (std::size_t& spine : spine_of)
        spine = sketch.below(spines);
    NoisyNetwork network = sketch.build();
    const std::size_t hosts = leaves * hosts_each;
    network.truth.meshes = {static_cast<TopologyNode>(hosts + core)};
    const auto routes = std::make_shared<sim::RouteTable>(hosts);
    for (TopologyNode a = 0; a < hosts; ++a)
        for (TopologyNode b = 0; b < hosts; ++b) {
            const std::size_t from = a / hosts_each, to = b / hosts_each;
            const std::size_t spine = spine_of[from * leaves + to];
            const auto up = static_cast<sim::Cable>(hosts + from * spines + spine);
            const auto down = static_cast<sim::Cable>(hosts + to * spines + spine);
            routes->set(a, b, from == to ? std::vector<sim::Cable>{a, b} : std::vector{a, up, down, b});
        }
    routes->set_delays(std::move(delays));
    network.routes = routes;
    return network;
}

TEST(SurveyedTree, HasTheLeavesOfANetworkThatIsNoTreeAndSaysSo) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        const NoisyNetwork network = leaf_and_spine(8, 3, seed);
        const InferenceResult result = sim::survey(network, {.seed = seed});
        ASSERT_TRUE(validate(result.topology));
        EXPECT_EQ(groups_by_switch(result.topology), groups_by_switch(network.truth)) << "seed " << seed;
        EXPECT_FALSE(result.topology.meshes.empty()) << "seed " << seed;
        EXPECT_TRUE(some_remark(result, "no tree")) << "seed " << seed;
    }
}

TEST(Survey, CountsEachPairOnce) {
    const NoisyNetwork network = sim::one_noise(sim::one_cluster(16).truth);
    sim::SurveyAnswers answers(network, 1);
    Survey survey(network.truth.hosts, {});
    while (const std::optional<Batch> batch = survey.next()) {
        survey.take(answers.measure(*batch));
        survey.take(answers.measure(*batch));
    }
    EXPECT_EQ(survey.measured_pairs(), 16u * 15 / 2);
}

TEST(Survey, NeverAsksAHostForItselfOrForOneThatHasGone) {
    const NoisyNetwork network = star_of_clusters({20, 20});
    sim::SurveyAnswers answers(network, 1);
    Survey survey(network.truth.hosts, {.seed = 4});
    survey.leave_out(3);
    while (const std::optional<Batch> batch = survey.next()) {
        EXPECT_TRUE(batch->turns[3].empty());
        for (HostNumber host = 0; host < batch->turns.size(); ++host)
            for (const Turn& turn : batch->turns[host]) {
                EXPECT_NE(turn.peer, host);
                EXPECT_NE(turn.peer, 3u);
            }
        survey.take(answers.measure(*batch));
    }
}

TEST(Survey, NamesNoSwitchLikeAHost) {
    NoisyNetwork network = sim::one_cluster(16);
    network.truth.hosts[3] = "s1";
    const Topology found = sim::survey(network, {}).topology;
    EXPECT_TRUE(validate(found));
    EXPECT_EQ(std::ranges::count(found.switches, "s1"), 0);
}

}  // namespace
}  // namespace trellis::plugins::infer
