// The rows of the table of the shell's own commands, one function for each command or family of commands.
#pragma once

#include "shell/running/shell_context.hpp"

namespace trellis {

CommandEntry cd_command();
CommandEntry exec_command();
CommandEntry exit_command();
CommandEntry explain_command();
CommandEntry explore_command();
CommandEntry export_command();
CommandEntry help_command();
CommandEntry hosts_command();
CommandEntry load_command();
CommandEntry master_worker_command();
CommandEntry ping_command();
CommandEntry quit_command();
CommandEntry save_command();
CommandEntry set_command();
CommandEntry show_command();
CommandEntry topics_command();
CommandEntry topology_command();
CommandEntry unset_command();
CommandEntry use_command();
// jobs, fg, bg, kill, wait.
std::vector<CommandEntry> job_commands();
// smask and its kin.
std::vector<CommandEntry> mask_commands();

}  // namespace trellis
