#include "tests/lab/lab_truth.hpp"

#include "agentd/model/topology_query.hpp"

#include <gtest/gtest.h>

namespace trellis::lab {
namespace {

constexpr std::string_view two_networks = R"(
switch s0
switch s1 s0 delay=100us
hosts a%d 0 1 s0 10.0.0.1 delay=25us
hosts b%d 0 1 s1 10.0.1.1 delay=25us
host ctl s0 10.0.2.1 delay=5us
switch f0
nic a0 f0 172.16.0.1 delay=1us
)";

TopologyFile file() {
    return std::get<TopologyFile>(parse_topology(two_networks));
}

TEST(LabTruth, IsTheFirstNetworkWithItsDelays) {
    const auto truth = truth_of(file());
    ASSERT_TRUE(truth) << truth.error().message();
    EXPECT_EQ(truth->hosts.size(), 5U);
    EXPECT_EQ(truth->switches.size(), 2U);
    const TopologyQuery query(*truth);
    EXPECT_EQ(query.distance(*find_node(*truth, "a0"), *find_node(*truth, "b1")), Delay(150));
}

TEST(LabTruth, LeavesOutWhoTakesNoPart) {
    const auto truth = truth_of(file(), {"ctl"});
    ASSERT_TRUE(truth) << truth.error().message();
    EXPECT_EQ(truth->hosts, (std::vector<std::string>{"a0", "a1", "b0", "b1"}));
    EXPECT_FALSE(truth_of(file(), {"nobody"}));
}

}  // namespace
}  // namespace trellis::lab
