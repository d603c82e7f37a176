// The rows of the table of the shell's own commands, one function for each command or family of commands.
#pragma once

#include "shell/shell_context.hpp"

namespace trellis {

CommandEntry cd_command();
CommandEntry exec_command();
CommandEntry exit_command();
CommandEntry explore_command();
CommandEntry export_command();
CommandEntry help_command();
CommandEntry hosts_command();
CommandEntry load_command();
CommandEntry quit_command();
CommandEntry save_command();
CommandEntry show_command();
CommandEntry topics_command();
CommandEntry topology_command();
CommandEntry use_command();
// smask and its kin.
std::vector<CommandEntry> mask_commands();

}  // namespace trellis
