// KnownTopologies: what the session knows of the topologies of its hosts: the value `topology` of the bus,
// which is the one that other commands use, and `topologies`, those of other sets of hosts that were found
// before. Owns nothing; for one command.
#pragma once

#include "trellis/bus.hpp"

#include "plugins/infer/changes/kept_part.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace trellis::plugins::infer {

class KnownTopologies {
  public:
    // The bus outlives it.
    explicit KnownTopologies(Bus& bus) : bus_(bus) {}

    // What holds for these hosts; nothing if no topology is known.
    [[nodiscard]] std::optional<KeptPart> part_for(const std::vector<std::string>& selected) const;
    // Makes it the session's topology, and keeps it for its hosts. `measured`: Unix time; now, if none is
    // given.
    void publish(const Topology& topology, std::optional<std::int64_t> measured);
    // How long the measurements of what was published last had been made before then, in seconds.
    [[nodiscard]] std::int64_t age() const;
    // Takes hosts that are not where they were out of all of them.
    void forget(const std::vector<std::string>& moved);

  private:
    [[nodiscard]] TopologyCollection all() const;

    Bus& bus_;
};

}  // namespace trellis::plugins::infer
