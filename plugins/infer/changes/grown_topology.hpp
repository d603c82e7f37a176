// A tree with one host more, at a place that was found for it. Pure.
#pragma once

#include "trellis/topology.hpp"

#include "plugins/infer/changes/attachment.hpp"

#include <string>

namespace trellis::plugins::infer {

// The tree with the host hung there; the switch that this may take has a name of its own.
[[nodiscard]] Topology hang(const Topology& topology, const std::string& host, const Attachment& place);

}  // namespace trellis::plugins::infer
