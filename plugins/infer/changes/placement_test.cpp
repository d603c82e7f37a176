// Hosts that are taken out of a tree and placed in it again: exactly, under noise, by few pairs.
#include "plugins/infer/changes/placement.hpp"

#include "agentd/model/topology_compare.hpp"
#include "agentd/model/topology_query.hpp"
#include "plugins/infer/survey/survey.hpp"
#include "tests/sim/effort.hpp"
#include "tests/sim/infer_families.hpp"
#include "tests/sim/plan_driver.hpp"
#include "tests/sim/random_topology.hpp"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

namespace trellis {
namespace {

using plugins::infer::HostNumber;
using plugins::infer::Placement;
using plugins::infer::Survey;

sim::NoisyNetwork quiet(Topology truth) {
    sim::NoisyNetwork network;
    network.cluster.assign(truth.hosts.size(), 0);
    network.profile = {sim::no_noise};
    network.truth = std::move(truth);
    return network;
}

std::vector<std::string> without(std::vector<std::string> names, const std::vector<std::string>& gone) {
    std::erase_if(names, [&](const std::string& name) { return std::ranges::count(gone, name) > 0; });
    return names;
}

std::vector<std::string> drawn(const std::vector<std::string>& names, std::size_t count, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<std::string> chosen;
    std::ranges::sample(names, std::back_inserter(chosen), static_cast<std::ptrdiff_t>(count), random);
    return chosen;
}

bool same_tree(const Topology& truth, const Topology& found) {
    if (truth.hosts != found.hosts || !validate(found)) return false;
    const TopologyComparison comparison = compare_topologies(truth, found, {100, 1}).value();
    return comparison.robinson_foulds() == 0 && comparison.same_groups;
}

// By the default method, of these hosts alone.
Topology surveyed(sim::PlanDriver& driver, const std::vector<std::string>& names, std::uint64_t seed) {
    Survey survey(names, {0.99, false, seed});
    driver.run(survey, names);
    return survey.topology();
}

TEST(InferPlacement, AHostOfARandomTreeFindsItsPlaceAgain) {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        const auto network = quiet(sim::random_topology(5 + seed % 40, sim::all_tree_shapes[seed % 5], seed));
        const auto& names = network.truth.hosts;
        sim::PlanDriver driver(network, seed);
        const Topology kept = project(network.truth, without(names, drawn(names, 1, seed))).value();
        Placement placement(kept, names, 0.99);
        driver.run(placement, names);
        EXPECT_TRUE(placement.unplaced().empty()) << seed;
        EXPECT_TRUE(same_tree(network.truth, placement.topology())) << seed;
    }
}

TEST(InferPlacement, SeveralHostsOfARandomTreeFindTheirPlacesAgain) {
    const std::uint64_t seeds = sim::effort(200, 20);
    std::uint64_t right = 0;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        const auto network =
            quiet(sim::random_topology(12 + seed % 40, sim::all_tree_shapes[seed % 5], seed));
        const auto& names = network.truth.hosts;
        sim::PlanDriver driver(network, seed);
        const Topology kept = project(network.truth, without(names, drawn(names, 3, seed))).value();
        Placement placement(kept, names, 0.99);
        driver.run(placement, names);
        right += same_tree(network.truth, placement.topology());
    }
    EXPECT_EQ(right, seeds);
}

TEST(InferPlacement, UnderTheNoiseOfALocalNetwork) {
    const std::uint64_t seeds = sim::effort(100, 5);
    std::uint64_t right = 0;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        const sim::NoisyNetwork network = sim::lan_of_four_switches(seed);
        const auto& names = network.truth.hosts;
        sim::PlanDriver driver(network, seed);
        const auto newcomers = drawn(names, 1, seed);
        const Topology kept = surveyed(driver, without(names, newcomers), seed);
        Placement placement(kept, names, 0.99);
        driver.run(placement, names);
        right += same_tree(network.truth, placement.topology());
    }
    EXPECT_GE(right + 1, seeds);
}

TEST(InferPlacement, InFourClustersByAtMostFortyPairs) {
    int right = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const sim::NoisyNetwork network = sim::clusters_at_two_routers(seed, sim::wan_noise);
        const auto& names = network.truth.hosts;
        sim::PlanDriver driver(network, seed);
        const Topology kept = project(network.truth, without(names, drawn(names, 1, seed))).value();
        Placement placement(kept, names, 0.99);
        driver.run(placement, names);
        EXPECT_LE(placement.measured_pairs(), 40u) << seed;
        right += same_tree(network.truth, placement.topology());
    }
    EXPECT_EQ(right, 20);
}

}  // namespace
}  // namespace trellis
