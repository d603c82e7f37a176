// How the parts of one inference name its hosts.
#pragma once

#include <cstdint>

namespace trellis::plugins::infer {

// A host's place in the list of hosts that the operation started with.
using HostNumber = std::uint32_t;

}  // namespace trellis::plugins::infer
