#include "plugins/infer/survey/inference_result.hpp"

#include "agentd/model/host_range.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace trellis::plugins::infer {
namespace {

constexpr double nearly_sure = 0.999;
constexpr std::size_t most_remarks = 20;  // of one kind

double confidence_of(double evidence) {
    return evidence > 0 ? 1 - std::exp(-evidence) : 0;
}

std::string number(const char* format, double value) {
    char text[64];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

class Description {
  public:
    Description(const WideTree& wide, std::span<const SolvedCluster> clusters,
                const std::vector<std::string>& names)
        : wide_(wide),
          clusters_(clusters),
          names_(names),
          taken_(names.begin(), names.end()),
          node_(wide.tree.nodes()) {}

    InferenceResult run() {
        number_nodes();
        add_links();
        add_meshes();
        remark_links();
        remark_doubtful();
        remark_noisy();
        remark_residuals();
        return std::move(result_);
    }

  private:
    [[nodiscard]] bool has_place(Node node) const { return !wide_.tree.edges(node).empty(); }

    // Switches are named in depth-first order from the first host.
    void number_nodes() {
        Topology& topology = result_.topology;
        for (Node host = 0; host < wide_.tree.hosts(); ++host)
            if (has_place(host) || names_.size() == 1) {
                node_[host] = static_cast<TopologyNode>(topology.hosts.size());
                topology.hosts.push_back(names_[host]);
            }
        std::vector<bool> seen(wide_.tree.nodes(), false);
        std::vector<Node> open;
        for (Node start = 0; start < wide_.tree.hosts(); ++start)
            if (has_place(start) && !seen[start]) {
                open.push_back(start);
                visit(open, seen);
            }
    }
    // s1, s2, ... without those that hosts are called.
    [[nodiscard]] std::string free_name() {
        std::string name;
        do
            name = "s" + std::to_string(++last_name_);
        while (taken_.contains(name));
        return name;
    }
    void visit(std::vector<Node>& open, std::vector<bool>& seen) {
        Topology& topology = result_.topology;
        while (!open.empty()) {
            const Node at = open.back();
            open.pop_back();
            if (seen[at]) continue;
            seen[at] = true;
            if (!wide_.tree.is_host(at)) {
                node_[at] = static_cast<TopologyNode>(topology.node_count());
                topology.switches.push_back(free_name());
            }
            const auto& edges = wide_.tree.edges(at);
            for (auto edge = edges.rbegin(); edge != edges.rend(); ++edge)
                if (!seen[edge->to]) open.push_back(edge->to);
        }
    }

    void add_links() {
        for (const LinkFinding& one : wide_.links)
            finding_[std::minmax(one.a, one.b)] = &one;
        for (const SolvedCluster& cluster : clusters_)
            for (std::size_t i = 0; i < cluster.hosts.size(); ++i)
                if (cluster.hosts.size() > 1) host_[cluster.hosts[i]] = {&cluster, i};
        for (Node a = 0; a < wide_.tree.nodes(); ++a)
            for (const TreeEdge& edge : wide_.tree.edges(a))
                if (edge.to > a) result_.topology.links.push_back(link(a, edge));
    }
    void add_meshes() {
        for (const Node mesh : wide_.meshes) {
            result_.topology.meshes.push_back(node_[mesh]);
            remark(name(mesh) +
                   " stands for a part of the network that is no tree (several routes): which of its "
                   "paths share links is not known");
        }
        std::vector<TopologyNode>& meshes = result_.topology.meshes;
        std::ranges::sort(meshes);
        meshes.erase(std::unique(meshes.begin(), meshes.end()), meshes.end());
    }
    [[nodiscard]] TopologyLink link(Node a, const TreeEdge& edge) const {
        TopologyLink made{node_[a], node_[edge.to], Delay{edge.rtt_us / 2}};
        if (wide_.tree.is_host(a)) {
            const auto of = host_.find(a);
            if (of == host_.end()) return made;
            const SolvedTree& solved = of->second.first->solved;
            made.confidence = solved.host_confidence[of->second.second];
            made.standard_error = Delay{solved.sigma_us / 2 /
                                        std::sqrt(static_cast<double>(of->second.first->hosts.size() - 1))};
        } else if (const auto of = finding_.find(std::minmax(a, edge.to)); of != finding_.end()) {
            made.confidence = confidence_of(of->second->evidence);
            made.standard_error = Delay{of->second->standard_error / 2};
        }
        return made;
    }

    [[nodiscard]] const std::string& name(Node node) const { return result_.topology.name(node_[node]); }
    [[nodiscard]] std::string folded(const std::vector<Node>& hosts) const {
        std::vector<std::string> names;
        names.reserve(hosts.size());
        for (const Node host : hosts)
            names.push_back(names_[host]);
        return fold_hosts(names);
    }

    void remark_links() {
        std::size_t count = 0;
        for (const LinkFinding& one : wide_.links) {
            const double confidence = confidence_of(one.evidence);
            if (confidence >= nearly_sure || ++count > most_remarks) continue;
            remark(name(one.a) + " and " + name(one.b) + " may be one switch: that they are two is " +
                   number("%.1f%% sure", 100 * confidence));
        }
    }
    void remark_doubtful() {
        std::size_t count = 0;
        for (const LinkFinding& one : wide_.doubtful) {
            if (++count > most_remarks) return;
            remark(name(one.a) + " may be two switches, one of them with " + folded(one.beyond) + ": " +
                   number("%.0f%% sure", 100 * confidence_of(one.evidence)));
        }
    }
    void remark_noisy() {
        std::vector<Node> noisy;
        for (const SolvedCluster& cluster : clusters_)
            for (std::size_t i = 0; i < cluster.hosts.size(); ++i)
                if (cluster.hosts.size() > 1 && cluster.solved.noisy[i]) noisy.push_back(cluster.hosts[i]);
        if (!noisy.empty()) remark("noisy, placed by their least round trips alone: " + folded(noisy));
    }
    void remark_residuals() {
        std::string text;
        for (const SolvedCluster& cluster : clusters_)
            if (cluster.hosts.size() > 2)
                text += (text.empty() ? "" : ", ") + number("%.1f", cluster.solved.sigma_us);
        if (text.empty()) return;
        text = "a pair's round trip differs from the tree's by " + text + " us (standard deviation" +
               (clusters_.size() > 1 ? ", in each cluster)" : ")");
        if (clusters_.size() > 1) text += number(", between clusters by %.1f us", wide_.sigma_us);
        remark(text);
    }
    void remark(std::string text) { result_.remarks.push_back(std::move(text)); }

    const WideTree& wide_;
    std::span<const SolvedCluster> clusters_;
    const std::vector<std::string>& names_;
    std::unordered_set<std::string_view> taken_;
    InferenceResult result_;
    std::size_t last_name_ = 0;
    std::vector<TopologyNode> node_;  // in the topology
    std::map<std::pair<Node, Node>, const LinkFinding*> finding_;
    std::map<Node, std::pair<const SolvedCluster*, std::size_t>> host_;
};

}  // namespace

InferenceResult describe(const WideTree& wide, std::span<const SolvedCluster> clusters,
                         const std::vector<std::string>& names) {
    return Description(wide, clusters, names).run();
}

}  // namespace trellis::plugins::infer
