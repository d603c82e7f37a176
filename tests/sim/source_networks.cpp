#include "tests/sim/source_networks.hpp"

#include <cstdio>
#include <string>

namespace trellis::sim {
namespace {

// One-way delays (us) of the links of a cluster. Lan: 80 of round trip on one switch, 10 more for two links
// more. Tight: 60 and 8.
struct ClusterLinks {
    double host;
    double trunk;
};
constexpr ClusterLinks lan_links{20, 2.5};
constexpr ClusterLinks tight_links{15, 2};

// Switches of a cluster: the parent of each (the first has none), and those that carry hosts.
struct ClusterShape {
    std::vector<std::size_t> parent;
    std::vector<std::size_t> with_hosts;
};
const ClusterShape three_levels{{0, 0, 0, 1, 1, 2, 2}, {3, 4, 5, 6}};
const ClusterShape cross{{0, 0, 0, 0, 0}, {1, 2, 3, 4}};
const ClusterShape row{{0, 0, 1, 2, 3}, {0, 1, 2, 3, 4}};

class Builder {
  public:
    // Adds a cluster; returns its first switch, by number among the switches.
    std::size_t add(char letter, std::size_t hosts, const ClusterShape& shape, ClusterLinks links,
                    const NoiseProfile& profile) {
        const std::size_t first = network_.truth.switches.size();
        for (std::size_t i = 0; i < shape.parent.size(); ++i) {
            network_.truth.switches.push_back("switch-" + std::string(1, letter) + std::to_string(i));
            if (i > 0) join(first + i, first + shape.parent[i], links.trunk);
        }
        for (std::size_t i = 0; i < hosts; ++i) {
            char name[32];
            std::snprintf(name, sizeof name, "%c%02zu", letter, i);
            host_switch_.push_back(first + shape.with_hosts[i * shape.with_hosts.size() / hosts]);
            host_delay_.push_back(links.host);
            network_.truth.hosts.emplace_back(name);
            network_.cluster.push_back(network_.profile.size());
        }
        network_.profile.push_back(profile);
        return first;
    }

    std::size_t router(const std::string& name) {
        network_.truth.switches.push_back(name);
        return network_.truth.switches.size() - 1;
    }
    void join(std::size_t a, std::size_t b, double delay_us) { trunks_.push_back({a, b, delay_us}); }

    SourceNetwork build() {
        Topology& truth = network_.truth;
        const auto node = [&](std::size_t i) { return static_cast<TopologyNode>(truth.hosts.size() + i); };
        for (TopologyNode host = 0; host < truth.hosts.size(); ++host)
            truth.links.push_back({host, node(host_switch_[host]), Delay{host_delay_[host]}});
        for (const Trunk& trunk : trunks_)
            truth.links.push_back({node(trunk.a), node(trunk.b), Delay{trunk.delay_us}});
        return std::move(network_);
    }

  private:
    struct Trunk {
        std::size_t a, b;
        double delay_us;
    };
    SourceNetwork network_;
    std::vector<std::size_t> host_switch_;
    std::vector<double> host_delay_;
    std::vector<Trunk> trunks_;
};

}  // namespace

SourceNetwork one_cluster(std::size_t hosts) {
    Builder builder;
    builder.add('a', hosts, three_levels, lan_links, lan_noise);
    return builder.build();
}

SourceNetwork four_clusters(std::size_t hosts_each) {
    Builder builder;
    const std::size_t a = builder.add('a', hosts_each, three_levels, lan_links, lan_noise);
    const std::size_t b = builder.add('b', hosts_each, cross, tight_links, lan_tight_noise);
    const std::size_t c = builder.add('c', hosts_each, row, tight_links, lan_tight_noise);
    const std::size_t d = builder.add('d', hosts_each, three_levels, lan_links, lan_noise);
    const std::size_t west = builder.router("router-west"), east = builder.router("router-east");
    builder.join(west, east, 5);
    builder.join(a, west, 1000);
    builder.join(b, west, 1500);
    builder.join(c, east, 500);
    builder.join(d, east, 500);
    return builder.build();
}

}  // namespace trellis::sim
