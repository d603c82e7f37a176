#include "tests/sim/random_topology.hpp"

#include "agentd/model/topology_query.hpp"

#include <algorithm>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

namespace trellis::sim {
namespace {

std::string numbered(char letter, std::size_t number) {
    char name[32];
    std::snprintf(name, sizeof name, "%c%03zu", letter, number);
    return name;
}

class Grower {
  public:
    Grower(std::size_t hosts, std::uint64_t seed) : random_(seed), host_count_(hosts) {
        for (std::size_t i = 0; i < hosts; ++i)
            tree_.hosts.push_back(numbered('h', i));
    }

    // Switches joined to an earlier one as the shape says, hosts spread over them.
    Topology grow(TreeShape shape) {
        const std::size_t switches = shape == TreeShape::star ? 1 : below(host_count_) + 1;
        for (std::size_t i = 0; i < switches; ++i) {
            tree_.switches.push_back(numbered('s', i));
            if (i > 0) link(switch_node(i), switch_node(parent(shape, i)));
        }
        std::vector<TopologyNode> order(host_count_);
        for (TopologyNode i = 0; i < host_count_; ++i)
            order[i] = i;
        std::ranges::shuffle(order, random_);
        for (const TopologyNode host : order)
            link(host, switch_node(below(switches)));
        return visible_part(tree_);
    }

  private:
    std::size_t below(std::size_t end) {
        return std::uniform_int_distribution<std::size_t>(0, end - 1)(random_);
    }
    std::size_t parent(TreeShape shape, std::size_t i) {
        switch (shape) {
            case TreeShape::chain:
                return i - 1;
            case TreeShape::deep:
                return i - 1 - below(std::min<std::size_t>(i, 3));
            case TreeShape::two_levels:
                return 0;
            default:
                return below(i);
        }
    }
    [[nodiscard]] TopologyNode switch_node(std::size_t i) const {
        return static_cast<TopologyNode>(host_count_ + i);
    }
    void link(TopologyNode a, TopologyNode b) {
        tree_.links.push_back({a, b, Delay{std::uniform_real_distribution<double>(1, 100)(random_)}});
    }

    std::mt19937_64 random_;
    std::size_t host_count_;
    Topology tree_;
};

}  // namespace

Topology random_topology(std::size_t hosts, TreeShape shape, std::uint64_t seed) {
    return Grower(hosts, seed).grow(shape);
}

}  // namespace trellis::sim
