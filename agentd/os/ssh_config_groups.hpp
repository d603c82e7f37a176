// SshConfigGroups: which targets the user's ssh configuration treats alike, so that `ssh -G` (15 ms a run)
// need not be run for each of hundreds of hosts. It reads only the lines Host, Match and Include; what they
// mean stays ssh's matter.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trellis {

class SshConfigGroups {
  public:
    // Adds the text of a configuration file, with included files already in place of their Include lines.
    void add_text(std::string_view text);

    // Equal for targets ([user@]host) that the same Host lines apply to; nullopt if that cannot be told
    // because there are Match lines: such a target is a group of its own.
    [[nodiscard]] std::optional<std::string> group_of(std::string_view target) const;

  private:
    std::vector<std::string> host_lines_;  // patterns separated by commas, as for matches_pattern_list()
    bool has_match_ = false;
};

// The text of all that ssh reads when it is called with these arguments: the file named by -F, or else the
// user's and the machine's.
std::string read_ssh_configs(const std::vector<std::string>& ssh_options);

// The text of a configuration file with its Include lines replaced by the files that they name (depth at most
// 16). Missing files are empty. Relative names are below `directory`.
std::string read_ssh_config(const std::string& path, const std::string& directory, int depth = 0);

}  // namespace trellis
