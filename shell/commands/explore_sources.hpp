// ExploreSources: the options of `explore` that say which hosts are meant: ranges, and what other programs
// keep in files and in the environment. Owned by the command. It logs in nowhere and changes nothing.
#pragma once

#include "shell/hosts/host_sources.hpp"
#include "shell/running/shell_context.hpp"

#include <optional>
#include <string>
#include <vector>

namespace trellis {

class ExploreSources {
  public:
    void declare(OptionSet& options);
    // Whether any is given; else hosts that are known are meant.
    [[nodiscard]] bool given() const;
    // The names of all sources, each once, without those that --pick leaves out. Reads standard input if told
    // to.
    Task<Result<std::vector<std::string>>> read(ShellContext& context) const;
    // Of `names` those that --pick leaves.
    [[nodiscard]] Result<std::vector<std::string>> picked(std::vector<std::string> names) const;

  private:
    using Names = Result<std::vector<std::string>>;
    Task<Names> read_list(ShellContext& context, std::string file) const;
    [[nodiscard]] Names read_table(const std::string& file) const;
    [[nodiscard]] Names read_groups(const std::string& group) const;

    std::vector<std::string> ranges_, lists_, tables_, groups_;
    std::string group_file_, pick_;
    bool slurm_ = false, pbs_ = false;
};

// Where ClusterShell keeps its groups, by the environment and in its order; only files that are there.
[[nodiscard]] std::vector<std::string> clustershell_group_files();

}  // namespace trellis
