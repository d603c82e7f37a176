// The agent's built-in operation "exec" (exec_messages.hpp).
#pragma once

#include "trellis/role.hpp"

namespace trellis {

RoleEntry exec_role();

}  // namespace trellis
