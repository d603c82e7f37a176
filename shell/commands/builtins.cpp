#include "shell/commands/builtins.hpp"

namespace trellis {

std::vector<CommandEntry> builtin_commands() {
    std::vector<CommandEntry> commands{
        use_command(),           explore_command(), explain_command(), hosts_command(), exec_command(),
        master_worker_command(), cd_command(),      export_command(),  unset_command(), ping_command()};
    for (const auto& family : {mask_commands(), job_commands()})
        commands.insert(commands.end(), family.begin(), family.end());
    for (const CommandEntry& command :
         {topics_command(), show_command(), save_command(), load_command(), topology_command(), set_command(),
          help_command(), quit_command(), exit_command()})
        commands.push_back(command);
    return commands;
}

}  // namespace trellis
