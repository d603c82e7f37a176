#include "agentd/model/topology_value.hpp"

#include "agentd/model/topology_json.hpp"
#include "agentd/model/topology_text.hpp"

#include <nlohmann/json.hpp>

namespace trellis {

nlohmann::json TopologyValue::to_json() const {
    return topology_to_json(topology_);
}

std::string TopologyValue::to_text() const {
    return topology_text(topology_);
}

Result<std::shared_ptr<const Value>> TopologyValue::from_json(const nlohmann::json& json) {
    Result<Topology> topology = topology_from_json(json);
    if (!topology) return topology.error();
    return std::shared_ptr<const Value>(std::make_shared<TopologyValue>(std::move(*topology)));
}

}  // namespace trellis
