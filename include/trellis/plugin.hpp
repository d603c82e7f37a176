// What a plugin's folder must define, in namespace trellis::plugins::<folder>. CMake generates from the
// folders the two tables that the main programs read: plugin_roles() for the agent, plugin_commands() for the
// shell. How to add a plugin: trellis-plugin(7).
#pragma once

#include "trellis/command.hpp"
#include "trellis/role.hpp"

#include <vector>

namespace trellis {

//   namespace trellis::plugins::infer {
//   RoleEntry role();         // in role.cpp
//   CommandEntry command();   // in command.cpp
//   }

std::vector<RoleEntry> plugin_roles();        // generated, linked into trellis-agentd
std::vector<CommandEntry> plugin_commands();  // generated, linked into trellis

}  // namespace trellis
