// The agent's built-in operation "spawn" (spawn_messages.hpp). It needs the agent's own Node, to attach the
// children.
#pragma once

#include "trellis/role.hpp"

#include "agentd/core/node.hpp"

#include <memory>

namespace trellis {

std::unique_ptr<Role> make_spawn_role(Node& node);

}  // namespace trellis
