#include "shell/builtins.hpp"

namespace trellis {

std::vector<CommandEntry> builtin_commands() {
    return {use_command(),      explore_command(), hosts_command(), exec_command(),
            cd_command(),       export_command(),  smask_command(), rmask_command(),
            topics_command(),   show_command(),    save_command(),  load_command(),
            topology_command(), help_command(),    quit_command(),  exit_command()};
}

}  // namespace trellis
