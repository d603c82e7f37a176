// The topologies of different sets of hosts, as they were found one after the other: the value `topologies`
// of the bus, from which the one of a selection is taken again. Immutable.
#pragma once

#include "trellis/bus.hpp"
#include "trellis/topology.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trellis {

struct KnownTopology {
    Topology topology;
    std::int64_t measured =
        0;  // Unix time, seconds: when all of its hosts were measured, not only what changed
};

// Two topologies of the same hosts, in whatever order.
[[nodiscard]] bool same_hosts(const Topology& one, const Topology& other);

class TopologyCollection final : public Value {
  public:
    static constexpr std::string_view type_name = "topologies";
    static constexpr std::size_t most = 16;

    TopologyCollection() = default;
    // Newest first; what is beyond `most` goes.
    explicit TopologyCollection(std::vector<KnownTopology> known);
    [[nodiscard]] const std::vector<KnownTopology>& known() const { return known_; }
    // With this one first, instead of that of the same hosts.
    [[nodiscard]] TopologyCollection with(KnownTopology newest) const;
    // With these hosts taken out of each, because they are not where they were.
    [[nodiscard]] TopologyCollection without(const std::vector<std::string>& hosts) const;
    // Of all of them, sorted.
    [[nodiscard]] std::vector<std::string> hosts() const;

    [[nodiscard]] std::string_view type() const override { return type_name; }
    [[nodiscard]] nlohmann::json to_json() const override;
    [[nodiscard]] std::string to_text() const override;  // a line each

    // For the table of types that `load` understands.
    static Result<std::shared_ptr<const Value>> from_json(const nlohmann::json& json);

  private:
    std::vector<KnownTopology> known_;
};

}  // namespace trellis
