#include "agentd/model/topology_slurm.hpp"

#include "agentd/model/host_range.hpp"
#include "agentd/model/topology_query.hpp"
#include "tests/sim/random_topology.hpp"

#include <map>
#include <set>
#include <sstream>

#include <gmock/gmock.h>

namespace trellis {
namespace {

using ::testing::HasSubstr;

// a00 and a01 on s2, b0 and b1 on s3, c on their common switch s1.
Topology slurm_example() {
    Topology topology{{"a00", "a01", "b0", "b1", "c"}, {"s1", "s2", "s3"}, {}, {6}};
    topology.links = {{0, 6, Delay{1}},  {1, 6, Delay{1}},  {2, 7, Delay{1}}, {3, 7, Delay{1}},
                      {4, 5, Delay{20}}, {5, 6, Delay{10}}, {5, 7, Delay{10}}};
    return topology;
}

std::string slurm_refusal(const Topology& topology) {
    const auto conf = slurm_topology_conf(topology), yaml = slurm_topology_yaml(topology);
    EXPECT_EQ(conf.has_value(), yaml.has_value());
    return conf ? "" : conf.error().message();
}

TEST(TopologySlurm, ConfHasChildrenFirstAndALeafForHostsBesideSwitches) {
    EXPECT_EQ(slurm_topology_conf(slurm_example()).value(),
              "SwitchName=s3 Nodes=b[0-1]\n"
              "# no tree inside s2\n"
              "SwitchName=s2 Nodes=a[00-01]\n"
              "SwitchName=s1_hosts Nodes=c\n"
              "SwitchName=s1 Switches=s[2-3],s1_hosts\n");
}

TEST(TopologySlurm, YamlSaysTheSame) {
    EXPECT_EQ(slurm_topology_yaml(slurm_example()).value(),
              "- topology: \"trellis\"\n"
              "  cluster_default: true\n"
              "  tree:\n"
              "    switches:\n"
              "    - switch: \"s3\"\n"
              "      nodes: \"b[0-1]\"\n"
              "    # no tree inside s2\n"
              "    - switch: \"s2\"\n"
              "      nodes: \"a[00-01]\"\n"
              "    - switch: \"s1_hosts\"\n"
              "      nodes: \"c\"\n"
              "    - switch: \"s1\"\n"
              "      children: \"s[2-3],s1_hosts\"\n");
}

TEST(TopologySlurm, OfFewHosts) {
    EXPECT_EQ(slurm_topology_conf({{"a"}, {}, {}}).value(), "SwitchName=s1 Nodes=a\n");
    EXPECT_EQ(slurm_topology_conf({{"s1", "b"}, {}, {{0, 1, Delay{3}}}}).value(),
              "SwitchName=s12 Nodes=s1,b\n");
    EXPECT_THAT(slurm_refusal({}), HasSubstr("no hosts"));
}

TEST(TopologySlurm, LeavesOutSwitchesWithoutHosts) {
    Topology topology{{"a", "b"}, {"s", "t"}, {{0, 2, Delay{1}}, {1, 2, Delay{1}}, {2, 3, Delay{1}}}};
    EXPECT_EQ(slurm_topology_conf(topology).value(), "SwitchName=s Nodes=a,b\n");
}

TEST(TopologySlurm, RefusesNamesThatSlurmWouldNotTake) {
    for (const std::string& name :
         {std::string(65, 'x'), std::string("a,b"), std::string("a b"), std::string("a[1"), std::string("a#"),
          std::string("a=b"), std::string("b\"c"), std::string("b\\c"), std::string("DEFAULT"),
          std::string("all"), std::string("h\xc3\xb6st"), std::string("a\nb")}) {
        Topology topology = slurm_example();
        topology.hosts[3] = name;
        EXPECT_THAT(slurm_refusal(topology), HasSubstr(name));
        topology = slurm_example();
        topology.switches[2] = name;
        EXPECT_THAT(slurm_refusal(topology), HasSubstr("name of a switch"));
    }
    Topology topology = slurm_example();
    topology.switches[0] = std::string(62, 's');  // its hosts' switch would be too long
    EXPECT_THAT(slurm_refusal(topology), HasSubstr("_hosts"));
}

// What hosts are below each switch, read back as Slurm does.
std::map<std::string, std::set<std::string>> hosts_below_each(const std::string& conf) {
    std::map<std::string, std::set<std::string>> below;
    std::istringstream lines(conf);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t name = line.find('=') + 1, space = line.find(' '), list = line.find('=', space) + 1;
        auto& hosts = below[line.substr(name, space - name)];
        const std::vector<std::string> names = expand_hosts(line.substr(list)).value();
        for (const std::string& one : names) {
            if (line.substr(space + 1, 5) == "Nodes")
                hosts.insert(one);
            else
                hosts.insert(below.at(one).begin(), below.at(one).end());  // children come first
        }
    }
    return below;
}

TEST(TopologySlurm, KeepsTheHostsBelowEverySwitchOfRandomTrees) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const Topology tree = sim::random_topology(60, sim::all_tree_shapes[seed % 5], seed);
        const auto below = hosts_below_each(slurm_topology_conf(tree).value());
        const TopologyQuery query(tree);
        for (TopologyNode node = 60; node < tree.node_count(); ++node) {
            std::set<std::string> expected;
            for (const TopologyNode host : query.hosts_below(node))
                expected.insert(tree.name(host));
            EXPECT_EQ(below.at(tree.name(node)), expected) << tree.name(node) << " of seed " << seed;
        }
    }
}

}  // namespace
}  // namespace trellis
