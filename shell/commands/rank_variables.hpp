// What commands on the hosts are told of the ranks that `rankmap` has placed there. Pure.
#pragma once

#include "trellis/host.hpp"
#include "trellis/result.hpp"

#include "shell/session/session.hpp"

#include <vector>

namespace trellis {

// The seat's places with these variables besides: TRELLIS_RANK, the lowest rank of the host, TRELLIS_RANKS,
// all of them, separated by commas, and TRELLIS_NP, how many ranks there are on all hosts. Unavailable if no
// ranks have been placed, or none on one of the hosts.
[[nodiscard]] Result<Places> places_with_ranks(const Session& session, const Seat& seat,
                                               const std::vector<Host>& hosts);

}  // namespace trellis
