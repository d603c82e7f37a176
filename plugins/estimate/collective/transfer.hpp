// Transfers: how long a message of many bytes keeps the path between two hosts busy, from the bandwidths that
// the session has under "bandwidth". Read as JSON, since that is what plugins share:
// {"topology": {trellis-topology(5)}, "links": [{"a": NAME, "b": NAME, "a_to_b": {"bits_per_second": ...},
// "b_to_a": {...}}, ...]}.
#pragma once

#include "trellis/result.hpp"
#include "trellis/topology.hpp"

#include <map>
#include <string>
#include <utility>

#include <nlohmann/json_fwd.hpp>

namespace trellis::plugins::estimate {

class Transfers {
  public:
    // No bytes count.
    Transfers() = default;
    // Refused if the value is of another form.
    [[nodiscard]] static Result<Transfers> from_json(const nlohmann::json& bandwidth, double bytes);

    // Milliseconds, by the narrowest measured link of the path; 0 if none is, or no bytes count. Refused if a
    // host is not in the topology.
    [[nodiscard]] Result<double> time(const std::string& from, const std::string& to) const;

  private:
    double bytes_ = 0;
    Topology topology_;
    std::map<std::pair<TopologyNode, TopologyNode>, double> bits_per_second_;  // in that direction
};

}  // namespace trellis::plugins::estimate
