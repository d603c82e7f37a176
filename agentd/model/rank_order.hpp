// RankOrder: on which host each MPI rank runs. A plain value: `rankmap` makes one, the bus carries it under
// `ranks`, others read it. RanksValue: the same on the bus; immutable, shared by whoever reads it.
//
// As JSON: {"format": "trellis-ranks", "version": 1, "method": TEXT, "ranks": [{"host": NAME, "slot": N},
// ...]}, in the order of the ranks.
#pragma once

#include "trellis/bus.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace trellis {

inline constexpr std::size_t most_ranks = 100'000;

struct RankPlace {
    std::string host;
    std::uint32_t slot = 0;  // counts the ranks of a host: 0, 1, ... in the order of the ranks
    friend bool operator==(const RankPlace&, const RankPlace&) = default;
};

struct RankOrder {
    std::string method;            // how it was found: "depth-first"
    std::vector<RankPlace> ranks;  // rank r at place r
    friend bool operator==(const RankOrder&, const RankOrder&) = default;
};

// The hosts of an order, each once, by their lowest rank.
[[nodiscard]] std::vector<std::string> hosts_by_rank(const RankOrder& order);

class RanksValue final : public Value {
  public:
    static constexpr std::string_view type_name = "ranks";

    explicit RanksValue(RankOrder order) : order_(std::move(order)) {}
    [[nodiscard]] const RankOrder& order() const { return order_; }

    [[nodiscard]] std::string_view type() const override { return type_name; }
    [[nodiscard]] nlohmann::json to_json() const override;
    [[nodiscard]] std::string to_text() const override;  // "4-7  a01": a line where the host changes

    // For the table of types that `load` understands. Refuses more than most_ranks.
    static Result<std::shared_ptr<const Value>> from_json(const nlohmann::json& json);

  private:
    RankOrder order_;
};

}  // namespace trellis
