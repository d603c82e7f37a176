#include "agentd/model/topology_slurm.hpp"

#include "agentd/model/host_range.hpp"
#include "agentd/model/topology_query.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace trellis {
namespace {

constexpr std::size_t longest_slurm_name = 64;
constexpr std::array<std::string_view, 3> slurm_words{"all", "default", "empty"};

// Names are kept to what is a name in both formats without quotes, escapes or ranges of Slurm's.
bool slurm_takes(const std::string& name) {
    const auto plain = [](unsigned char c) {
        return c < 0x80 && (std::isalnum(c) != 0 || c == '.' || c == '_' || c == '-');
    };
    std::string lower = name;
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
    return !name.empty() && name.size() <= longest_slurm_name && std::ranges::all_of(name, plain) &&
           std::ranges::find(slurm_words, lower) == slurm_words.end();
}

// A switch as Slurm has it: above hosts or above switches.
struct SlurmSwitch {
    std::string name;
    std::vector<std::string> below;
    bool above_hosts = false;
    bool mesh = false;
};

class SlurmSwitches {
  public:
    explicit SlurmSwitches(const Topology& topology) : topology_(topology), query_(topology) {
        for (TopologyNode node = 0; node < topology.node_count(); ++node)
            taken_.insert(topology.name(node));
    }

    // Children before their parents: Slurm resolves a deep tree in one pass then, and gives up after 20.
    std::vector<SlurmSwitch> list() {
        std::vector<TopologyNode> visited{query_.root()};
        for (std::size_t i = 0; i < visited.size(); ++i)
            for (const TopologyNode child : query_.children(visited[i]))
                if (is_drawn(child)) visited.push_back(child);
        for (auto node = visited.rbegin(); node != visited.rend(); ++node)
            add(*node);
        return std::move(switches_);
    }

  private:
    [[nodiscard]] bool is_drawn(TopologyNode node) const {
        return !topology_.is_host(node) && !query_.hosts_below(node).empty();
    }

    void add(TopologyNode node) {
        SlurmSwitch hosts{topology_.name(node), {}, true, query_.is_mesh(node)};
        SlurmSwitch above{topology_.name(node), {}, false, query_.is_mesh(node)};
        if (topology_.is_host(node)) {  // the root, where there is no switch
            hosts.name = new_name("s1");
            hosts.below.push_back(topology_.name(node));
        }
        for (const TopologyNode child : query_.children(node))
            if (topology_.is_host(child))
                hosts.below.push_back(topology_.name(child));
            else if (is_drawn(child))
                above.below.push_back(topology_.name(child));
        if (!hosts.below.empty() && !above.below.empty()) {
            hosts.name = new_name(hosts.name + "_hosts");
            hosts.mesh = false;
            above.below.push_back(hosts.name);
        }
        for (SlurmSwitch* made : {&hosts, &above})
            if (!made->below.empty()) switches_.push_back(std::move(*made));
    }

    std::string new_name(const std::string& wanted) {
        std::string name = wanted;
        for (int i = 2; !taken_.insert(name).second; ++i)
            name = wanted + std::to_string(i);
        return name;
    }

    const Topology& topology_;
    TopologyQuery query_;
    std::unordered_set<std::string> taken_;
    std::vector<SlurmSwitch> switches_;
};

Failure refused(const char* kind, const std::string& name) {
    return Failure{FailureKind::invalid, "write for Slurm", name,
                   std::string("Slurm takes no such name of a ") + kind +
                       ": 1 to 64 letters, digits, '.', '_' or '-', other than ALL, DEFAULT and EMPTY"};
}

Result<std::vector<SlurmSwitch>> slurm_switches(const Topology& topology) {
    if (topology.hosts.empty())
        return Failure{FailureKind::invalid, "write for Slurm", "", "the topology has no hosts"};
    for (const std::string& host : topology.hosts)
        if (!slurm_takes(host)) return refused("host", host);
    std::vector<SlurmSwitch> switches = SlurmSwitches(topology).list();
    for (const SlurmSwitch& one : switches)
        if (!slurm_takes(one.name)) return refused("switch", one.name);
    return switches;
}

}  // namespace

Result<std::string> slurm_topology_conf(const Topology& topology) {
    const auto switches = slurm_switches(topology);
    if (!switches) return switches.error();
    std::string text;
    for (const SlurmSwitch& one : *switches) {
        if (one.mesh) text += "# no tree inside " + one.name + "\n";
        text += "SwitchName=" + one.name + (one.above_hosts ? " Nodes=" : " Switches=") +
                fold_hosts(one.below) + "\n";
    }
    return text;
}

Result<std::string> slurm_topology_yaml(const Topology& topology) {
    const auto switches = slurm_switches(topology);
    if (!switches) return switches.error();
    // Quoted, since "on" and "1e3" are names of switches, too.
    std::string text = "- topology: \"trellis\"\n  cluster_default: true\n  tree:\n    switches:\n";
    for (const SlurmSwitch& one : *switches) {
        if (one.mesh) text += "    # no tree inside " + one.name + "\n";
        text += "    - switch: \"" + one.name + "\"\n      " + (one.above_hosts ? "nodes" : "children") +
                ": \"" + fold_hosts(one.below) + "\"\n";
    }
    return text;
}

}  // namespace trellis
