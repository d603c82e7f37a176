// The operation "ping": the agent answers at once, by its end, which may wait in the tree for those of other
// hosts: as long as it took itself, at the most.
#pragma once

#include "trellis/role.hpp"

namespace trellis {

RoleEntry ping_role();

}  // namespace trellis
