// Bandwidths of a topology on the bus. Immutable; shared by whoever reads it.
//
// As JSON: {"format": "trellis-bandwidth", "version": 1, "topology": {trellis-topology(5)}, "links": [...]},
// one for each link of the topology, in its order: {"a": NAME, "b": NAME, "a_to_b": B, "b_to_a": B}, where B
// is {"kind": "measured" or "at least" or "not measured", "bits_per_second": ..., "standard_error": ...}.
#pragma once

#include "trellis/bus.hpp"

#include "agentd/model/topology_bandwidth.hpp"

#include <memory>
#include <string>
#include <utility>

namespace trellis {

[[nodiscard]] nlohmann::json link_bandwidth_to_json(const LinkBandwidth& bandwidth);

class BandwidthValue final : public Value {
  public:
    static constexpr std::string_view type_name = "bandwidth";

    explicit BandwidthValue(TopologyBandwidth tree) : tree_(std::move(tree)) {}
    [[nodiscard]] const TopologyBandwidth& tree() const { return tree_; }

    [[nodiscard]] std::string_view type() const override { return type_name; }
    [[nodiscard]] nlohmann::json to_json() const override;
    [[nodiscard]] std::string to_text() const override;  // the drawn tree, in UTF-8

    // For the table of types that `load` understands.
    static Result<std::shared_ptr<const Value>> from_json(const nlohmann::json& json);

  private:
    TopologyBandwidth tree_;
};

}  // namespace trellis
