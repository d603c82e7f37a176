#include "tests/sim/grid5000_network.hpp"

#include "tests/sim/network_sketch.hpp"

#include <fstream>
#include <map>
#include <stdexcept>
#include <vector>

namespace trellis::sim {
namespace {

constexpr std::size_t hosts_of_a_cluster = 8;
// The file's latencies: of a host (its own and half of its cluster's), of a link, and of the switch of a site
// within the site.
constexpr Delay grid_host_link{150}, grid_link{100}, inner_switch{500};

std::string attribute(const std::string& line, const std::string& name) {
    const std::size_t start = line.find(" " + name + "=\"");
    if (start == std::string::npos) return "";
    const std::size_t text = start + name.size() + 3;
    return line.substr(text, line.find('"', text) - text);
}

// The file has one element a line. Zones: the grid, the sites, and parts of sites; what routers, links and
// routes there are between them follows the same scheme everywhere, but for the links between cities.
class Grid {
  public:
    explicit Grid(std::uint64_t seed) : sketch_(seed) {}

    void read(const std::string& line) {
        if (line.find("<zone ") != std::string::npos) zones_.push_back(attribute(line, "id"));
        if (line.find("</zone>") != std::string::npos) zones_.pop_back();
        if (line.find("<router ") != std::string::npos && zones_.back() == "AS_interne")
            router(attribute(line, "id"));
        if (line.find("<route ") != std::string::npos)
            sketch_.join(router(attribute(line, "src")), router(attribute(line, "dst")),
                         sketch_.around(grid_link));
        if (line.find("<cluster ") != std::string::npos) add_cluster();
    }
    NoisyNetwork network() { return sketch_.build_shuffled(); }

  private:
    std::size_t router(const std::string& name) {
        const auto place = routers_.find(name);
        return place != routers_.end() ? place->second : routers_[name] = sketch_.add_switch(name);
    }

    // The switch of a zone: of a site, joined to its city; of a part of a site, joined to the site's.
    std::size_t zone_switch(std::size_t depth) {
        const std::string& name = zones_[depth];
        if (routers_.contains(name)) return router(name);
        const std::size_t added = router(name);
        const std::string city = name == "AS_orsay" ? "paris" : name.substr(3);
        sketch_.join(added, depth == 1 ? router(city) : zone_switch(depth - 1), sketch_.around(grid_link));
        return added;
    }

    void add_cluster() {
        const std::size_t depth = zones_.size() - 1;
        const std::size_t at = sketch_.add_switch("cluster-" + std::to_string(hosts_ / hosts_of_a_cluster));
        sketch_.join(at, zone_switch(depth), sketch_.around(depth == 1 ? grid_link : inner_switch));
        sketch_.add_cluster(lan_noise);
        for (std::size_t i = 0; i < hosts_of_a_cluster; ++i)
            sketch_.add_host("h" + std::to_string(hosts_++), at, sketch_.around(grid_host_link));
    }

    NetworkSketch sketch_;
    std::vector<std::string> zones_;
    std::map<std::string, std::size_t> routers_;
    std::size_t hosts_ = 0;
};

}  // namespace

NoisyNetwork grid5000_network(const std::string& path, std::uint64_t seed) {
    std::ifstream file(path);
    if (!file) throw std::runtime_error("cannot read " + path);
    Grid grid(seed);
    for (std::string line; std::getline(file, line);)
        grid.read(line);
    return grid.network();
}

}  // namespace trellis::sim
