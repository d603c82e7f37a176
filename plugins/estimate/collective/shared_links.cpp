#include "plugins/estimate/collective/shared_links.hpp"

#include "agentd/model/topology_query.hpp"

#include <algorithm>
#include <map>

namespace trellis::plugins::estimate {
namespace {

class Splitting {
  public:
    Splitting(const History& filled, const Topology& topology, TopologyNode root)
        : topology_(topology), query_(topology, root), parts_{filled, {}} {
        for (std::size_t column = 0; column < filled.columns.size(); ++column) {
            const auto node = find_node(topology, filled.columns[column]);
            if (node) column_of_[*node] = column;
            least_.push_back(std::ranges::min(filled.round_trips[column]));
        }
    }

    SharedParts split() {
        visit(query_.root(), 0);
        return std::move(parts_);
    }

  private:
    void visit(TopologyNode node, std::size_t hosts_before) {
        const std::vector<std::size_t> hosts = columns_below(node);
        if (hosts.size() < 2) return;
        if (node != query_.root() && hosts.size() != hosts_before) take_out(node, hosts);
        for (const TopologyNode child : query_.children(node))
            visit(child, node == query_.root() ? 0 : hosts.size());
    }

    [[nodiscard]] std::vector<std::size_t> columns_below(TopologyNode node) const {
        std::vector<std::size_t> columns;
        for (const TopologyNode host : query_.hosts_below(node))
            if (const auto found = column_of_.find(host); found != column_of_.end())
                columns.push_back(found->second);
        return columns;
    }

    void take_out(TopologyNode node, const std::vector<std::size_t>& hosts) {
        SharedLink link{topology_.name(node), hosts, std::vector<double>(parts_.own.rows())};
        for (std::size_t row = 0; row < link.excess.size(); ++row) {
            double common = parts_.own.round_trips[hosts[0]][row] - least_[hosts[0]];
            for (const std::size_t host : hosts)
                common = std::min(common, parts_.own.round_trips[host][row] - least_[host]);
            link.excess[row] = common;
            for (const std::size_t host : hosts)
                parts_.own.round_trips[host][row] -= common;
        }
        parts_.links.push_back(std::move(link));
    }

    const Topology& topology_;
    TopologyQuery query_;
    SharedParts parts_;
    std::map<TopologyNode, std::size_t> column_of_;
    std::vector<double> least_;
};

}  // namespace

SharedParts split_shared(const History& filled, const Topology& topology, const std::string& root) {
    return Splitting(filled, topology, find_node(topology, root).value()).split();
}

}  // namespace trellis::plugins::estimate
