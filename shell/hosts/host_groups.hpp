// The groups of hosts that a session knows, for expressions:
//   @all  @selected                known, and now selected
//   @ok  @failed                   by the outcome of the last command
//   @below:SWITCH                  in the topology on the bus
//   @within:HOST:DURATION          round-trip time to HOST by that topology at most DURATION
//   @NAME                          a mask kept by savemask
#pragma once

#include "shell/hosts/host_expression.hpp"
#include "shell/session/session.hpp"

namespace trellis {

// Valid while the session and the seat live.
[[nodiscard]] HostGroups host_groups(const Session& session, const Seat& seat);

}  // namespace trellis
