// The topology format trellis-topology(5): a JSON object, versioned, strict, safe on hostile input.
//
//   {"format": "trellis-topology", "version": 1,
//    "hosts": ["a00", "a01"], "switches": ["s1"],
//    "links": [{"a": "a00", "b": "s1", "delay_us": 20.5}, ...]}
//
// Delays are one-way, in microseconds, written so that reading gives back the same double. Optional, and
// written only where they say something: of a link "confidence" (0 to 1) and "standard_error_us", of the
// topology "meshes" (names of switches). Unknown members are refused.
#pragma once

#include "trellis/result.hpp"
#include "trellis/topology.hpp"

#include <cstddef>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace trellis {

struct TopologyCaps {
    std::size_t bytes = std::size_t{64} << 20;
    std::size_t nodes = 200'000;
    std::size_t name_bytes = 255;
    Delay delay = std::chrono::hours(1);
};

[[nodiscard]] nlohmann::json topology_to_json(const Topology& topology);

// Refuses what is not exactly the format above, or not a tree, or beyond the caps. The failure says what was
// expected, where ("links[3].delay_us") and what stood there.
[[nodiscard]] Result<Topology> topology_from_json(const nlohmann::json& json, const TopologyCaps& caps = {});

// The same from the text of a file; a syntax error is given with its line and column.
[[nodiscard]] Result<Topology> parse_topology(std::string_view text, const TopologyCaps& caps = {});

// The text of a file: one link a line, ends with a newline.
[[nodiscard]] std::string topology_file(const Topology& topology);

}  // namespace trellis
