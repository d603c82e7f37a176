#include "tests/sim/infiniband_network.hpp"

#include "agentd/model/topology_query.hpp"

#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

namespace trellis::sim {
namespace {

// Leaves l0 and l1 at two cores c0 and c1, which are no tree; a leaf l2 behind l1, with one cable. Hosts a0,
// a1 on l0, b0, b1 on l1, d0, d1 on l2, and `unreached`, to which no route leads.
class InfinibandNetwork : public testing::Test {
  protected:
    void SetUp() override {
        folder_ = testing::TempDir() + "infiniband_network_test-" + std::to_string(getpid());
        std::filesystem::create_directories(folder_);
        std::ofstream(folder_ + "/small_links.csv")
            << "a,b,kind,cables\nl0,c0,trunk,1\nl0,c1,trunk,1\nl1,c0,trunk,1\nl1,c1,trunk,1\nl1,l2,trunk,1\n"
               "a0,l0,host,1\na1,l0,host,1\nb0,l1,host,1\nb1,l1,host,1\nd0,l2,host,1\nd1,l2,host,1\n"
               "unreached,l0,host,1\n";
        std::ofstream routes(folder_ + "/small_routes.csv");
        routes << "src,dst,path\nunreached,a0,l0:1\n";
        for (const std::string& from : hosts_)
            for (const std::string& to : hosts_)
                if (from != to) routes << from << "," << to << "," << path(from, to) << "\n";
        routes.close();
        network_ = infiniband_network(folder_, "small", 1);
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    // To a0, b0 and d0 by c0, to a1, b1 and d1 by c1; the ports of a switch are named for what is behind
    // them.
    static std::string path(const std::string& from, const std::string& to) {
        const std::string core = to[1] == '0' ? "c0" : "c1";
        std::string text;
        if ((from[0] == 'a') != (to[0] == 'a')) {
            if (from[0] == 'd') text += "l2:l1 ";
            text += from[0] == 'a' ? "l0:" + core + " " + core + ":l1 " : "l1:" + core + " " + core + ":l0 ";
            if (to[0] == 'd') text += "l1:l2 ";
        } else if (from[0] != to[0]) {
            text += from[0] == 'b' ? "l1:l2 " : "l2:l1 ";
        }
        const std::string leaf = to[0] == 'a' ? "l0" : to[0] == 'b' ? "l1" : "l2";
        return text + leaf + ":" + to;
    }
    [[nodiscard]] TopologyNode node(const std::string& name) const {
        return *find_node(network_.truth, name);
    }
    [[nodiscard]] bool share(const char* a, const char* b, const char* c, const char* d) const {
        return network_.routes->share_cable(node(a), node(b), node(c), node(d));
    }

    std::string folder_;
    std::vector<std::string> hosts_{"a0", "a1", "b0", "b1", "d0", "d1"};
    NoisyNetwork network_;
};

TEST_F(InfinibandNetwork, AMeshStandsForWhatIsNoTree) {
    const Topology& truth = network_.truth;
    ASSERT_TRUE(validate(truth));
    EXPECT_EQ(truth.hosts.size(), 6u);
    ASSERT_EQ(truth.meshes.size(), 1u);
    const TopologyQuery query(truth, truth.meshes[0]);
    for (const char* leaf : {"l0", "l1"})
        EXPECT_EQ(query.parent(node(leaf)), truth.meshes[0]);
    EXPECT_EQ(query.parent(node("l2")), node("l1"));
    EXPECT_EQ(query.parent(node("d1")), node("l2"));
    EXPECT_FALSE(find_node(truth, "c0"));
}

TEST_F(InfinibandNetwork, RoutesShareTheCablesThatTheyTake) {
    EXPECT_TRUE(share("a0", "b0", "a0", "d1"));   // the cables of a0
    EXPECT_TRUE(share("a0", "b0", "a1", "d0"));   // from l0 over c0 to l1
    EXPECT_FALSE(share("a0", "b0", "a1", "b1"));  // over c0, over c1
    EXPECT_FALSE(share("a0", "b1", "a1", "d0"));  // the same ones, in opposite directions
    EXPECT_FALSE(share("b0", "b1", "d0", "d1"));
    EXPECT_TRUE(share("b0", "d0", "a1", "d1"));  // from l1 to l2
}

TEST_F(InfinibandNetwork, ARoundTripTakesTheDelaysOfItsCables) {
    const RouteTable& routes = *network_.routes;
    const Delay near = routes.round_trip(node("a0"), node("a1")),
                far = routes.round_trip(node("a0"), node("b1"));
    EXPECT_GT(near, Delay{54});  // four cables of hosts, each 15 us more or less
    EXPECT_LT(near, Delay{66});
    EXPECT_GT(far, Delay{54 + 7.2});  // and four between switches, each 2 us
    EXPECT_LT(far, Delay{66 + 8.8});
}

}  // namespace
}  // namespace trellis::sim
