#include "plugins/infer/tree/tree_search.hpp"

#include "agentd/model/topology_compare.hpp"
#include "tests/sim/effort.hpp"
#include "tests/sim/infer_families.hpp"
#include "tests/sim/network_sketch.hpp"
#include "tests/sim/random_topology.hpp"
#include "tests/sim/source_networks.hpp"
#include "tests/sim/survey_answers.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace trellis::plugins::infer {
namespace {

using sim::difference;
using sim::NoiseProfile;
using sim::NoisyNetwork;

Topology some_tree(std::uint64_t seed, std::size_t least = 3, std::size_t most = 120) {
    const std::size_t hosts = least + (seed * 37) % (most - least + 1);
    return sim::random_topology(hosts, sim::all_tree_shapes[seed % 5], seed);
}

Topology solve(const NoisyNetwork& network, const PairTable& table) {
    return sim::topology_of(solve_tree(table, {}), network.truth.hosts);
}

// The hosts on each of two switches, which a link joins; or all on one.
NoisyNetwork two_switches(std::size_t hosts, Delay link, const NoiseProfile& noise) {
    sim::NetworkSketch sketch(1);
    sketch.add_cluster(noise);
    sketch.add_switch("left");
    if (link > Delay{0}) sketch.join(sketch.add_switch("right"), 0, link);
    for (std::size_t i = 0; i < hosts; ++i)
        sketch.add_host("h" + std::to_string(i), link > Delay{0} ? i % 2 : 0, sketch.around(Delay{20}));
    return sketch.build();
}

NoiseProfile pair_noise(Delay deviation) {
    return {.name = "pairs", .pair_offset_sd = deviation};
}

void expect_sound(const SolvedTree& solved) {
    for (Node node = 0; node < solved.tree.nodes(); ++node)
        for (const TreeEdge& edge : solved.tree.edges(node)) {
            ASSERT_TRUE(std::isfinite(edge.rtt_us));
            ASSERT_GE(edge.rtt_us, 0);
        }
    ASSERT_TRUE(std::isfinite(solved.sigma_us));
    for (const double confidence : solved.host_confidence) {
        ASSERT_GE(confidence, 0);  // fails for what is not a number
        ASSERT_LE(confidence, 1);
    }
    for (const auto* findings : {&solved.links, &solved.doubtful})
        for (const LinkFinding& one : *findings)
            ASSERT_TRUE(std::isfinite(one.evidence) && std::isfinite(one.standard_error));
}

TEST(TreeSearch, FindsEveryTreeThatIsMeasuredExactly) {
    for (std::uint64_t seed = 1; seed <= sim::effort(100, 10); ++seed) {
        const NoisyNetwork network = sim::one_noise(some_tree(seed));
        const Topology found = solve(network, sim::all_pairs(network, seed));
        ASSERT_EQ(difference(network.truth, found), "")
            << "seed " << seed << ", " << network.truth.hosts.size() << " hosts";
        EXPECT_LE(sim::largest_error(network.truth, found), Delay{0.01}) << "seed " << seed;
    }
}

TEST(TreeSearch, FindsGreaterTrees) {
    for (std::uint64_t seed = 1; seed <= sim::effort(4, 1); seed *= 2) {
        const NoisyNetwork network = sim::one_noise(some_tree(seed, 200, 300));
        const Topology found = solve(network, sim::all_pairs(network, seed));
        ASSERT_EQ(difference(network.truth, found), "") << "seed " << seed;
        EXPECT_LE(sim::largest_error(network.truth, found), Delay{0.01}) << "seed " << seed;
    }
}

TEST(TreeSearch, TheOrderOfHostsDoesNotMatter) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const NoisyNetwork network = sim::lan_of_four_switches(seed);
        const PairTable table = sim::all_pairs(network, seed);
        std::vector<Node> order(table.hosts());
        for (Node host = 0; host < order.size(); ++host)
            order[host] = host;
        std::mt19937_64 random(seed);
        std::ranges::shuffle(order, random);
        PairTable other(table.hosts());
        std::vector<std::string> names;
        for (Node a = 0; a < order.size(); ++a) {
            names.push_back(network.truth.hosts[order[a]]);
            for (Node b = 0; b < a; ++b)
                other.add(a, b, table.rtt(order[a], order[b]), table.spread(order[a], order[b]));
        }
        EXPECT_EQ(difference(solve(network, table), sim::topology_of(solve_tree(other, {}), names)), "")
            << "seed " << seed;
    }
}

TEST(TreeSearch, FindsTheSwitchesOfALan) {
    int exact = 0;  // with clocks of microseconds, where 99% sure is not always right
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const NoisyNetwork source = sim::one_cluster(64), lan = sim::lan_of_four_switches(seed);
        exact += difference(source.truth, solve(source, sim::all_pairs(source, seed))).empty() ? 1 : 0;
        EXPECT_EQ(difference(lan.truth, solve(lan, sim::all_pairs(lan, seed))), "") << "seed " << seed;
    }
    EXPECT_GE(exact, 19);
}

TEST(TreeSearch, FindsMostOfALanOfVirtualMachines) {
    double wrong = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        NoisyNetwork network = sim::one_cluster(64);
        network.profile = {sim::virtual_machine_noise};
        const Topology found = solve(network, sim::all_pairs(network, seed));
        wrong += compare_topologies(network.truth, found, {.queries = 5000})->wrong_answer_rate() / 20;
    }
    EXPECT_LT(wrong, 0.02);
}

TEST(TreeSearch, ErrorsOfPairsAsLargeAsALinkHideLittle) {
    double wrong = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        NoisyNetwork network = sim::lan_of_four_switches(seed);
        network.profile = {sim::systematic_noise(Delay{10})};
        const Topology found = solve(network, sim::all_pairs(network, seed));
        wrong += compare_topologies(network.truth, found, {.queries = 5000})->wrong_answer_rate() / 20;
    }
    EXPECT_LT(wrong, 0.02);
}

TEST(TreeSearch, NoiseMakesNoSwitch) {
    const NoisyNetwork network = two_switches(64, Delay{0}, sim::lan_noise);
    for (std::uint64_t seed = 1; seed <= sim::effort(100, 10); ++seed)
        EXPECT_EQ(solve_tree(sim::all_pairs(network, seed), {}).tree.switches().size(), 1u)
            << "seed " << seed;
}

TEST(TreeSearch, TellsALinkShorterThanTheNoiseOfAPair) {
    const NoisyNetwork network = two_switches(64, Delay{1}, pair_noise(Delay{3}));
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const SolvedTree solved = solve_tree(sim::all_pairs(network, seed), {});
        EXPECT_EQ(solved.tree.switches().size(), 2u) << "seed " << seed;
        int wrong = 0;  // or right, since either switch may be the first
        for (Node host = 0; host < 64; ++host)
            wrong += (solved.tree.switch_of(host) == solved.tree.switches().front()) == (host % 2 == 0);
        EXPECT_LE(std::min(wrong, 64 - wrong), 3) << "seed " << seed;
    }
}

TEST(TreeSearch, DoesNotTellWhatIsBelowTheNoise) {
    const NoisyNetwork network = two_switches(64, Delay{0.1}, pair_noise(Delay{3}));
    for (std::uint64_t seed = 1; seed <= 20; ++seed)
        EXPECT_EQ(solve_tree(sim::all_pairs(network, seed), {}).tree.switches().size(), 1u)
            << "seed " << seed;
}

TEST(TreeSearch, NamesWhatItIsNotQuiteSureOf) {
    std::size_t doubtful = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        const NoisyNetwork network =
            two_switches(64, Delay{0.5 + 0.005 * static_cast<double>(seed)}, pair_noise(Delay{3}));
        const SolvedTree solved = solve_tree(sim::all_pairs(network, seed), {});
        if (solved.tree.switches().size() > 1) continue;
        for (const LinkFinding& one : solved.doubtful) {
            ++doubtful;
            EXPECT_EQ(one.a, one.b);
            EXPECT_GE(one.beyond.size(), 16u);
            EXPECT_LE(one.beyond.size(), 32u);
        }
    }
    EXPECT_GT(doubtful, 0u);
}

TEST(TreeSearch, ThrottledHostsDoNotBendTheRest) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        NoisyNetwork network = sim::one_cluster(64);
        const auto first = static_cast<TopologyNode>(seed % 16);
        network.throttled = {first, first + 20, first + 40};
        const SolvedTree solved = solve_tree(sim::all_pairs(network, seed), {});
        std::vector<std::string> others;
        for (Node host = 0; host < 64; ++host) {
            const bool throttled = std::ranges::count(network.throttled, host) > 0;
            EXPECT_EQ(solved.noisy[host], throttled) << "seed " << seed << ", host " << host;
            if (!throttled) others.push_back(network.truth.hosts[host]);
        }
        const Topology found = sim::topology_of(solved, network.truth.hosts);
        EXPECT_EQ(difference(*project(network.truth, others), *project(found, others)), "")
            << "seed " << seed;
    }
}

TEST(TreeSearch, OneTwoOrThreeHostsHaveOneSwitch) {
    for (const std::size_t hosts : {1u, 2u, 3u}) {
        PairTable table(hosts);
        if (hosts > 1) table.add(0, 1, 80, 1);
        if (hosts > 2) table.add(0, 2, 90, 1);
        if (hosts > 2) table.add(1, 2, 100, 1);
        const SolvedTree solved = solve_tree(table, {});
        ASSERT_NO_FATAL_FAILURE(expect_sound(solved));
        EXPECT_EQ(solved.tree.switches().size(), 1u);
        if (hosts > 1) {
            EXPECT_NEAR(solved.tree.distances(0)[1], 80, 1e-3);
        }
        if (hosts > 2) {
            EXPECT_NEAR(solved.tree.distances(1)[2], 100, 1e-3);
        }
    }
}

// Of each host, how many hosts hang on its switch.
std::vector<std::size_t> company(const Topology& truth) {
    std::vector<std::size_t> result(truth.hosts.size());
    for (const std::vector<TopologyNode>& group : groups_by_switch(truth))
        for (const TopologyNode host : group)
            result[host] = group.size();
    return result;
}

// But where no pair of a switch is measured nobody can tell how far away it is.
TEST(TreeSearch, PairsMissingAtRandomDoNotMatter) {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        const NoisyNetwork network =
            seed % 2 == 0 ? sim::one_cluster(64) : sim::one_noise(some_tree(seed, 30, 80));
        const PairTable all = sim::all_pairs(network, seed);
        PairTable table(all.hosts());
        const std::vector<std::size_t> with = company(network.truth);
        std::mt19937_64 random(seed);
        for (Node a = 0; a < all.hosts(); ++a)
            for (Node b = 0; b < a; ++b)
                if (random() % 10 != 0 || (with[a] < 4 && with[a] == with[b]))
                    table.add(a, b, all.rtt(a, b), all.spread(a, b));
        EXPECT_EQ(difference(network.truth, solve(network, table)), "") << "seed " << seed;
    }
}

TEST(TreeSearch, AWildPairDoesNotChangeTheTree) {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        const NoisyNetwork network =
            seed % 2 == 0 ? sim::lan_of_four_switches(seed) : sim::one_noise(some_tree(seed, 8, 64));
        const PairTable all = sim::all_pairs(network, seed);
        for (const double wild_us : {1e3, 1e5}) {
            const auto wild_a = static_cast<Node>(seed % all.hosts());
            const auto wild_b = static_cast<Node>((seed * 7 + 1) % all.hosts());
            if (wild_a == wild_b) continue;
            PairTable table(all.hosts());
            for (Node a = 0; a < all.hosts(); ++a)
                for (Node b = 0; b < a; ++b) {
                    const bool wild = std::minmax(a, b) == std::minmax(wild_a, wild_b);
                    table.add(a, b, all.rtt(a, b) + (wild ? wild_us : 0), all.spread(a, b));
                }
            EXPECT_EQ(difference(network.truth, solve(network, table)), "")
                << "seed " << seed << ", " << wild_us << " us, " << all.hosts() << " hosts";
        }
    }
}

TEST(TreeSearch, EqualRoundTripsOfAnySizeMakeOneSwitch) {
    for (const double rtt_us : {0.0, 1e-3, 80.0, 1e9, 1e15}) {
        PairTable table(20);
        for (Node a = 0; a < 20; ++a)
            for (Node b = 0; b < a; ++b)
                table.add(a, b, rtt_us, 0);
        const SolvedTree solved = solve_tree(table, {});
        ASSERT_NO_FATAL_FAILURE(expect_sound(solved)) << rtt_us;
        EXPECT_EQ(solved.tree.switches().size(), 1u) << rtt_us;
        EXPECT_NEAR(solved.tree.distances(3)[5], rtt_us, 1e-6 * (1 + rtt_us));
    }
}

TEST(TreeSearch, StaysSoundWhateverIsMeasured) {
    for (std::uint64_t seed = 1; seed <= sim::effort(200, 25); ++seed) {
        std::mt19937_64 random(seed);
        const std::size_t hosts = 1 + seed % 25;
        PairTable table(hosts);
        for (Node a = 0; a < hosts; ++a)
            for (Node b = 0; b < a; ++b) {
                const auto kind = random() % 4;
                const double size = std::pow(10.0, static_cast<double>(random() % 12));
                if (kind > 0) table.add(a, b, kind == 1 ? 0 : size, kind == 2 ? size / 2 : 0);
            }
        const SolvedTree solved = solve_tree(table, {});
        ASSERT_NO_FATAL_FAILURE(expect_sound(solved)) << "seed " << seed;
        std::vector<std::string> names;
        for (Node host = 0; host < hosts; ++host)
            names.push_back("h" + std::to_string(host));
        EXPECT_TRUE(validate(sim::topology_of(solved, names))) << "seed " << seed;
    }
}

}  // namespace
}  // namespace trellis::plugins::infer
