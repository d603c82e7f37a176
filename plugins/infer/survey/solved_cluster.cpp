#include "plugins/infer/survey/solved_cluster.hpp"

namespace trellis::plugins::infer {

std::vector<HostNumber> representatives(const SolvedCluster& cluster, std::size_t most) {
    std::vector<std::vector<HostNumber>> by_switch;
    for (const Node node : cluster.solved.tree.switches()) {
        by_switch.emplace_back();
        for (const TreeEdge& edge : cluster.solved.tree.edges(node))
            if (cluster.solved.tree.is_host(edge.to) && !cluster.solved.noisy[edge.to])
                by_switch.back().push_back(cluster.hosts[edge.to]);
    }
    std::vector<HostNumber> chosen;
    for (std::size_t turn = 0; chosen.size() < most; ++turn) {
        const std::size_t before = chosen.size();
        for (const std::vector<HostNumber>& hosts : by_switch)
            if (turn < hosts.size() && chosen.size() < most) chosen.push_back(hosts[turn]);
        if (chosen.size() == before) break;
    }
    return chosen;
}

}  // namespace trellis::plugins::infer
