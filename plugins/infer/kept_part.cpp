#include "plugins/infer/kept_part.hpp"

#include "agentd/model/topology_query.hpp"

#include <set>

namespace trellis::plugins::infer {
namespace {

constexpr std::size_t fewest_kept = 3;
constexpr std::size_t kept_to_joined = 3;  // at least so many of those stand for each of these

}  // namespace

bool KeptPart::worth_keeping() const {
    return topology.hosts.size() >= fewest_kept && kept_to_joined * joined.size() <= topology.hosts.size();
}

KeptPart kept_part(const Topology& known, const std::vector<std::string>& selected) {
    const std::set<std::string> before(known.hosts.begin(), known.hosts.end());
    KeptPart part;
    std::vector<std::string> stayed;
    for (const std::string& name : selected)
        (before.contains(name) ? stayed : part.joined).push_back(name);
    part.left = known.hosts.size() - stayed.size();
    part.topology = project(known, stayed).value();
    return part;
}

}  // namespace trellis::plugins::infer
