// UserAuthority: the LoginAuthority of the place where the user sits. Host keys are checked against the
// user's known_hosts files, signatures come from the user's ssh-agent, settings from `ssh -G`. Owned by the
// shell's main.cpp. It never asks questions on the terminal and never changes a file unless
// StrictHostKeyChecking says so.
#pragma once

#include "trellis/process.hpp"
#include "trellis/spawner.hpp"

#include "agentd/core/mailbox.hpp"
#include "agentd/os/agent_image.hpp"
#include "agentd/os/known_hosts.hpp"
#include "agentd/os/ssh_config_groups.hpp"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace trellis {

class UserAuthority final : public LoginAuthority {
  public:
    // `agent_file`: the agent's program. `ssh_options`: more arguments for `ssh -G`, e.g. {"-F", "file"}.
    UserAuthority(Executor executor, Processes& processes, std::string agent_file,
                  std::vector<std::string> ssh_options = {});

    // The settings that ssh would use for the target. One run of `ssh -G` serves all targets that the user's
    // configuration treats alike. Besides ssh's own keywords: "knownhostkeytypes", the types of the keys that
    // are known; and the settings of jump hosts, as ssh_login_plan.hpp says.
    Task<Result<SshSettings>> settings(std::string target);

    Task<Result<void>> check_host_key(const SpawnRequest& request, std::string lookup,
                                      std::string key) override;
    Task<Result<std::string>> ask_agent(std::string request) override;
    Task<Result<std::string>> full_agent(std::uint64_t from) override;

  private:
    struct Answered;
    void add_known_types(SshSettings& settings);
    Task<Result<void>> add_jumps(SshSettings& settings);
    Task<Result<SshSettings>> settings_of_jump(std::string jump);
    Task<Result<SshSettings>> run_ssh(std::string target);
    Task<Result<SshSettings>> settings_of_group(std::string target);
    const KnownHosts& known_hosts(const SshSettings& settings);
    void accept_new_key(const SpawnRequest& request, const std::string& lookup, const std::string& key);

    Executor executor_;
    Processes& processes_;
    AgentImage image_;
    std::shared_ptr<const std::string> full_;  // from the first question on
    std::vector<std::string> ssh_options_;
    SshConfigGroups groups_;
    struct Cached {
        std::string target;  // whose settings they are
        SshSettings settings;
    };
    std::map<std::string, SshSettings> jumps_;
    std::map<std::string, Cached> cache_;  // by group
    struct Asking;
    std::shared_ptr<Asking> asking_;
    std::map<std::string, KnownHosts> known_hosts_;  // by the list of files, read once
};

}  // namespace trellis
