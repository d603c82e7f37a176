// Who sends to whom, and what each message takes.
#include "agentd/model/topology_query.hpp"
#include "plugins/estimate/estimation.hpp"

#include <algorithm>

namespace trellis::plugins::estimate {

Result<Collective> Estimation::collective() const {
    Collective whole;
    const Result<Schedule> sends = schedule();
    if (!sends) return sends.error();
    whole.schedule = *sends;
    whole.shared = shared_;
    whole.nodes = answer_.hosts.size() + 1;
    whole.rounds = question_.rounds;
    for (const Send& send : whole.schedule) {
        const Result<Distribution> own = latency(send.from, send.to);
        if (!own) return own.error();
        const Result<double> transfer = transfers_.time(node_name(send.from), node_name(send.to));
        if (!transfer) return transfer.error();
        whole.costs.push_back(
            {*own, shared_.empty() ? std::vector<std::size_t>() : shared_of_[send.to - 1], *transfer});
    }
    return whole;
}

Result<Schedule> Estimation::schedule() const {
    const std::size_t hosts = answer_.hosts.size();
    switch (question_.algorithm) {
        case Algorithm::one_stage:
            return one_stage(hosts);
        case Algorithm::binomial:
            return binomial(hosts);
        case Algorithm::chain:
            return chain(hosts);
        case Algorithm::tree:
            break;
    }
    if (!in_topology())
        return unavailable("--algorithm tree needs the topology of the root and these hosts: run infer");
    std::vector<std::vector<std::size_t>> clusters(1);
    for (const std::vector<TopologyNode>& group : groups_by_switch(*topology_)) {
        std::vector<std::size_t> cluster;
        bool of_root = false;
        for (const TopologyNode node : group) {
            of_root |= topology_->name(node) == question_.root;
            const auto host = std::ranges::find(answer_.hosts, topology_->name(node), &Answer::OfHost::name);
            if (host != answer_.hosts.end())
                cluster.push_back(static_cast<std::size_t>(host - answer_.hosts.begin()) + 1);
        }
        if (of_root)
            clusters.front() = std::move(cluster);
        else if (!cluster.empty())
            clusters.push_back(std::move(cluster));
    }
    return clustered(clusters);
}

std::string Estimation::node_name(std::size_t node) const {
    return node == 0 ? question_.root : answer_.hosts[node - 1].name;
}

// Recorded between the two, or else that of the receiver from the root, moved by what the topology says that
// they are nearer or farther.
Result<Distribution> Estimation::latency(std::size_t from, std::size_t to) const {
    const Answer::OfHost& receiver = answer_.hosts[to - 1];
    if (from == 0) return receiver.distribution;
    const std::string& sender = answer_.hosts[from - 1].name;
    if (history_ != nullptr) {
        const std::string column = sender + "->" + receiver.name;
        if (std::ranges::find(history_->columns, column) != history_->columns.end()) {
            const auto pair = select_columns(*history_, sender, {receiver.name});
            const History filled = fill_lost(pair.value()).history;
            if (!filled.columns.empty())
                return Distribution{forecast_hosts(filled, filled.rows(), choice_).front().fit.shape,
                                    receiver.distribution.c};
        }
    }
    if (!in_topology())
        return unavailable("nothing is known of round trips from " + sender + " to " + receiver.name +
                           ": record between all, or run infer");
    const TopologyQuery query(*topology_);
    const auto node = [&](const std::string& name) { return find_node(*topology_, name).value(); };
    const Delay nearer = query.distance(node(sender), node(receiver.name)) -
                         query.distance(node(question_.root), node(receiver.name));
    Distribution moved = receiver.distribution;
    moved.c += 2 * std::chrono::duration<double, std::milli>(nearer).count();
    return moved;
}

}  // namespace trellis::plugins::estimate
