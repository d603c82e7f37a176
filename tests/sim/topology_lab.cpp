#include "tests/sim/topology_lab.hpp"

#include "agentd/model/topology_query.hpp"
#include "tests/sim/sim_seams.hpp"
#include "tests/sim/sim_world.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

namespace trellis::sim {
namespace {

std::string address(std::size_t host) {
    return "10." + std::to_string(host >> 14) + "." + std::to_string((host >> 6) & 255) + "." +
           std::to_string((host & 63) + 1);
}

class Description {
  public:
    Description(const Topology& topology, ProbeCost cost)
        : topology_(topology), cost_(cost), root_(centre(topology)), query_(topology, root_) {}

    std::string text() {
        text_ = "switch " + topology_.name(root_) + "\n";
        add_switches_below(root_);
        for (TopologyNode host = 0; host < topology_.hosts.size(); ++host) {
            text_ += "host " + topology_.name(host) + " " + topology_.name(query_.parent(host)) + " " +
                     address(host) + link(host) + "\n";
        }
        return text_ + "host ctl " + topology_.name(root_) +
               " 10.255.255.1 rate=10gbit delay=25us queue=8m\n";
    }

  private:
    void add_switches_below(TopologyNode node) {
        for (const TopologyNode child : query_.children(node)) {
            if (topology_.is_host(child)) continue;
            text_ += "switch " + topology_.name(child) + " " + topology_.name(node) + link(child) + "\n";
            add_switches_below(child);
        }
    }

    // A round trip costs CPU time four times: each host's link, crossed twice, bears two of them.
    [[nodiscard]] std::string link(TopologyNode lower) const {
        const double on_the_wire = cost_.rate > 0 ? (probe_bytes + packet_overhead) * 8e9 / cost_.rate : 0;
        const double cpu = topology_.is_host(lower) ? static_cast<double>(cost_.cpu.count()) : 0;
        const auto delay = std::llround(query_.delay_to_parent(lower).count() * 1e3 - on_the_wire - cpu);
        if (delay < 0) throw std::logic_error("the link above " + topology_.name(lower) + " is too short");
        std::string options = " delay=" + std::to_string(delay) + "ns queue=1m";
        if (cost_.rate > 0) options += " rate=" + std::to_string(std::llround(cost_.rate)) + "bit";
        return options;
    }

    const Topology& topology_;
    ProbeCost cost_;
    TopologyNode root_;
    TopologyQuery query_;
    std::string text_;
};

}  // namespace

lab::TopologyFile lab_of(const Topology& topology, ProbeCost cost) {
    return parse_lab(Description(topology, cost).text());
}

}  // namespace trellis::sim
