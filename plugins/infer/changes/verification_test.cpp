// Whether a tree still holds: it does under noise, and does not when a host or a switch hangs elsewhere.
#include "plugins/infer/changes/verification.hpp"

#include "plugins/infer/survey/survey.hpp"
#include "tests/sim/effort.hpp"
#include "tests/sim/infer_families.hpp"
#include "tests/sim/plan_driver.hpp"

#include <algorithm>

#include <gmock/gmock.h>

namespace trellis {
namespace {

using plugins::infer::Survey;
using plugins::infer::Verification;
using ::testing::ElementsAre;

Topology known_tree(const sim::NoisyNetwork& network, std::uint64_t seed) {
    sim::PlanDriver driver(network, seed);
    Survey survey(network.truth.hosts, {0.99, false, seed});
    driver.run(survey, network.truth.hosts);
    return survey.topology();
}

std::vector<std::string> moved(const sim::NoisyNetwork& network, const Topology& known, std::uint64_t seed) {
    sim::PlanDriver driver(network, seed + 1000);
    Verification verification(known, network.truth.hosts, seed);
    driver.run(verification, network.truth.hosts);
    EXPECT_LE(verification.measured_pairs(), 3 * network.truth.hosts.size());
    return verification.moved();
}

// To the next switch.
std::string move_a_host(sim::NoisyNetwork& network, std::uint64_t seed) {
    Topology& truth = network.truth;
    const auto host = static_cast<TopologyNode>(seed % truth.hosts.size());
    const auto own = std::ranges::find_if(
        truth.links, [&](const TopologyLink& link) { return link.a == host || link.b == host; });
    TopologyNode& at = own->a == host ? own->b : own->a;
    const TopologyQuery tree(truth, at);
    for (const TopologyNode next : tree.children(at))
        if (!truth.is_host(next)) {
            at = next;
            break;
        }
    return truth.hosts[host];
}

TEST(InferVerification, ATreeHoldsUnderAnotherNoise) {
    for (std::uint64_t seed = 1; seed <= sim::effort(50, 10); ++seed) {
        const sim::NoisyNetwork network = sim::lan_of_four_switches(seed);
        EXPECT_THAT(moved(network, known_tree(network, seed), seed), ElementsAre()) << seed;
    }
}

TEST(InferVerification, AHostThatHangsElsewhereIsNamed) {
    int right = 0;
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        sim::NoisyNetwork network = sim::lan_of_four_switches(seed);
        const Topology known = known_tree(network, seed);
        const std::string host = move_a_host(network, seed);
        right += moved(network, known, seed) == std::vector{host};
    }
    EXPECT_GE(right, 48);
}

TEST(InferVerification, FourClusters) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        sim::NoisyNetwork network = sim::clusters_at_two_routers(seed, sim::wan_noise);
        const Topology known = known_tree(network, seed);
        EXPECT_THAT(moved(network, known, seed), ElementsAre()) << seed;
        const std::string host = move_a_host(network, 7 * seed);
        EXPECT_THAT(moved(network, known, seed), ElementsAre(host)) << seed;
    }
}

}  // namespace
}  // namespace trellis
