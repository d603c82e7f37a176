// A file of round-trip times, and what an inference makes of it: the side of `infer --rtt` that the user
// sees.
#pragma once

#include "trellis/result.hpp"

#include "plugins/infer/finding.hpp"
#include "plugins/infer/matrix/rtt_matrix.hpp"

#include <string>

namespace trellis::plugins::infer {

// In the format of parse_rtt_matrix. A failure names the file and the cause.
[[nodiscard]] Result<RttMatrix> read_rtt_matrix(const std::string& path);

// The simplest tree (simplest_tree.hpp) of the file's hosts, in their order. Its remarks say how far the
// tree's round trips are from the given ones, and which pairs and hosts are farthest. A failure names the
// file. It takes as long as the processor needs: some ten seconds for some hundred hosts.
[[nodiscard]] Result<Finding> infer_from_file(const std::string& path);

}  // namespace trellis::plugins::infer
