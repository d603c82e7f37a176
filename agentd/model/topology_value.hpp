// A topology on the bus. Immutable; shared by whoever reads it.
#pragma once

#include "trellis/bus.hpp"
#include "trellis/topology.hpp"

#include <memory>
#include <string>
#include <utility>

namespace trellis {

class TopologyValue final : public Value {
  public:
    static constexpr std::string_view type_name = "topology";

    explicit TopologyValue(Topology topology) : topology_(std::move(topology)) {}
    [[nodiscard]] const Topology& topology() const { return topology_; }

    [[nodiscard]] std::string_view type() const override { return type_name; }
    [[nodiscard]] nlohmann::json to_json() const override;
    [[nodiscard]] std::string to_text() const override;  // the drawn tree, in UTF-8

    // For the table of types that `load` understands.
    static Result<std::shared_ptr<const Value>> from_json(const nlohmann::json& json);

  private:
    Topology topology_;
};

}  // namespace trellis
