#include "tests/sim/source_networks.hpp"

#include "agentd/model/topology_query.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace trellis::sim {
namespace {

Delay rtt(const NoisyNetwork& network, const char* a, const char* b) {
    return 2 *
           TopologyQuery(network.truth).distance(*find_node(network.truth, a), *find_node(network.truth, b));
}

TEST(SourceNetworks, AreTheRoundTripsOfTheSource) {
    const NoisyNetwork one = one_cluster();
    ASSERT_TRUE(validate(one.truth));
    EXPECT_EQ(rtt(one, "a00", "a01"), Delay{80});
    EXPECT_EQ(rtt(one, "a00", "a16"), Delay{90});
    EXPECT_EQ(rtt(one, "a00", "a63"), Delay{100});

    const NoisyNetwork four = four_clusters();
    ASSERT_TRUE(validate(four.truth));
    EXPECT_EQ(four.truth.hosts.size(), 256u);
    EXPECT_EQ(rtt(four, "b00", "b01"), Delay{60});
    EXPECT_EQ(rtt(four, "b00", "b63"), Delay{68});
    EXPECT_EQ(four.noise(0, 1).name, "lan");
    EXPECT_EQ(four.noise(64, 65).name, "lan-tight");
    EXPECT_EQ(four.noise(0, 65).name, "wan");
    const TopologyQuery query(four.truth);
    for (TopologyNode host = 64; host < 256; ++host)
        if (four.cluster[host] != 0) {
            const Delay apart = 2 * query.distance(0, host);
            EXPECT_GT(apart, std::chrono::milliseconds(2));
            EXPECT_LT(apart, std::chrono::milliseconds(6));
        }
}

}  // namespace
}  // namespace trellis::sim
