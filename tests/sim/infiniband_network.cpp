#include "tests/sim/infiniband_network.hpp"

#include "tests/sim/network_sketch.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <utility>
#include <vector>

namespace trellis::sim {
namespace {

constexpr Delay host_cable{15}, trunk_cable{2};
// A message takes this on the tree that stands for the mesh; what its route takes beyond that is noise.
constexpr Delay mesh_link{1.2};

using Row = std::vector<std::string>;
using Trunk = std::pair<std::string, std::string>;

std::vector<Row> read_rows(const std::string& path) {
    std::ifstream file(path);
    std::string line, field;
    if (!std::getline(file, line)) throw std::runtime_error("cannot read " + path);
    std::vector<Row> rows;
    while (std::getline(file, line)) {
        Row& row = rows.emplace_back();
        for (std::istringstream fields(line); std::getline(fields, field, ',');)
            row.push_back(field);
        if (row.size() < 3) throw std::runtime_error(line.insert(0, path + ": too few columns: "));
    }
    return rows;
}

struct Cabling {
    std::map<std::string, std::string> switch_of;  // by host
    std::vector<Trunk> trunks;

    // The switches that can be reached from one by trunks that `keep` keeps.
    template <class Keep>
    [[nodiscard]] std::set<std::string> reached(const std::string& from, Keep keep) const {
        std::set<std::string> found{from};
        for (bool more = true; more;) {
            const std::size_t before = found.size();
            for (const Trunk& trunk : trunks) {
                if (!keep(trunk) || found.contains(trunk.first) == found.contains(trunk.second)) continue;
                found.insert({trunk.first, trunk.second});
            }
            more = found.size() > before;
        }
        return found;
    }
    // Whether all ways between its ends go over it.
    [[nodiscard]] bool is_bridge(const Trunk& trunk) const {
        const auto others = [&](const Trunk& other) { return other != trunk; };
        return !reached(trunk.first, others).contains(trunk.second);
    }
};

class Drawing {
  public:
    Drawing(const std::string& path, std::uint64_t seed)
        : sketch_(seed), links_(read_rows(path + "_links.csv")), routes_(read_rows(path + "_routes.csv")) {}

    NoisyNetwork draw() {
        sketch_.add_cluster(lan_tight_noise);
        read_cabling();
        for (const Trunk& trunk : cabling_.trunks)
            cabling_.is_bridge(trunk) ? draw_bridge(trunk) : draw_into_mesh(trunk);
        for (const auto& [host, at] : cabling_.switch_of)
            sketch_.add_host(host, switch_node(at), host_cable);
        NoisyNetwork network = sketch_.build_shuffled();
        for (const auto& [member, mesh] : mesh_of_)
            network.truth.meshes.push_back(static_cast<TopologyNode>(network.truth.hosts.size() + mesh));
        std::ranges::sort(network.truth.meshes);
        const auto last = std::unique(network.truth.meshes.begin(), network.truth.meshes.end());
        network.truth.meshes.erase(last, network.truth.meshes.end());
        network.routes = route_table(network.truth);
        return network;
    }

  private:
    void read_cabling() {
        std::set<std::string> reachable;
        for (const Row& route : routes_)
            reachable.insert(route[1]);
        for (const Row& link : links_) {
            if (link[2] == "trunk") cabling_.trunks.emplace_back(link[0], link[1]);
            if (link[2] == "host" && reachable.contains(link[0])) cabling_.switch_of[link[0]] = link[1];
        }
    }

    std::size_t switch_node(const std::string& name) {
        const auto place = switches_.find(name);
        if (place != switches_.end()) return place->second;
        return switches_[name] = sketch_.add_switch(name);
    }

    void draw_bridge(const Trunk& trunk) {
        sketch_.join(switch_node(trunk.first), switch_node(trunk.second), trunk_cable);
    }

    // Its ends hang at the mesh of all that are joined by more than one way, if they carry anything else.
    void draw_into_mesh(const Trunk& trunk) {
        if (mesh_of_.contains(trunk.first)) return;
        const auto no_bridge = [this](const Trunk& other) { return !cabling_.is_bridge(other); };
        const std::size_t mesh = sketch_.add_switch("mesh-" + trunk.first);
        for (const std::string& member : cabling_.reached(trunk.first, no_bridge)) {
            mesh_of_[member] = mesh;
            if (carries_more(member)) sketch_.join(switch_node(member), mesh, mesh_link);
        }
    }

    [[nodiscard]] bool carries_more(const std::string& name) const {
        const auto carried = [&](const auto& host) { return host.second == name; };
        const auto leaves = [&](const Trunk& trunk) {
            return (trunk.first == name || trunk.second == name) && cabling_.is_bridge(trunk);
        };
        return std::ranges::any_of(cabling_.switch_of, carried) ||
               std::ranges::any_of(cabling_.trunks, leaves);
    }

    // The cable of that name, which delays by about so much.
    Cable cable(const std::string& name, Delay delay) {
        const auto [place, added] = cables_.emplace(name, static_cast<Cable>(delays_.size()));
        if (added) delays_.push_back(sketch_.around(delay));
        return place->second;
    }

    std::shared_ptr<const RouteTable> route_table(const Topology& truth) {
        std::map<std::string, TopologyNode> number;
        for (TopologyNode i = 0; i < truth.hosts.size(); ++i)
            number[truth.hosts[i]] = i;
        auto table = std::make_shared<RouteTable>(truth.hosts.size());
        for (const Row& row : routes_) {
            const auto from = number.find(row[0]), to = number.find(row[1]);
            if (from == number.end() || to == number.end()) continue;
            std::istringstream path(row[2]);
            std::vector<Cable> route{cable(row[0], host_cable)};
            for (std::string port; path >> port;)
                route.push_back(cable(port, (path >> std::ws).eof() ? host_cable : trunk_cable));
            table->set(from->second, to->second, std::move(route));
        }
        table->set_delays(delays_);
        return table;
    }

    NetworkSketch sketch_;
    std::vector<Row> links_, routes_;
    Cabling cabling_;
    std::map<std::string, std::size_t> switches_, mesh_of_;
    std::map<std::string, Cable> cables_;
    std::vector<Delay> delays_;
};

}  // namespace

NoisyNetwork infiniband_network(const std::string& folder, const std::string& name, std::uint64_t seed) {
    return Drawing(folder + "/" + name, seed).draw();
}

}  // namespace trellis::sim
