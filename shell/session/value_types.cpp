#include "shell/session/value_types.hpp"

#include "agentd/model/bandwidth_value.hpp"
#include "agentd/model/rank_order.hpp"
#include "agentd/model/topology_collection.hpp"
#include "agentd/model/topology_value.hpp"
#include "shell/hosts/host_values.hpp"

namespace trellis {

std::vector<ValueType> value_types() {
    return {{HostsValue::type_name, HostsValue::from_json},
            {SelectionValue::type_name, SelectionValue::from_json},
            {TopologyValue::type_name, TopologyValue::from_json},
            {TopologyCollection::type_name, TopologyCollection::from_json},
            {BandwidthValue::type_name, BandwidthValue::from_json},
            {RanksValue::type_name, RanksValue::from_json}};
}

}  // namespace trellis
