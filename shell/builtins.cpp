#include "shell/builtins.hpp"

namespace trellis {

std::vector<CommandEntry> builtin_commands() {
    std::vector<CommandEntry> commands{use_command(),  explore_command(), hosts_command(),
                                       exec_command(), cd_command(),      export_command()};
    for (const CommandEntry& command : mask_commands())
        commands.push_back(command);
    for (const CommandEntry& command : {topics_command(), show_command(), save_command(), load_command(),
                                        topology_command(), help_command(), quit_command(), exit_command()})
        commands.push_back(command);
    return commands;
}

}  // namespace trellis
