// The operation "ping": the agent answers at once, by an empty message and then its end. Messages are passed
// on by themselves, ends may wait for those of other hosts: the time of the message is that of one round
// trip.
#pragma once

#include "trellis/role.hpp"

namespace trellis {

RoleEntry ping_role();

}  // namespace trellis
