// OsSpawner: the real Spawner. Chooses among libssh, the ssh program and a local process as the request says,
// and keeps the time of each. Owned by main.cpp, outlives the calls of spawn(); the links that it has
// returned may outlive it.
#pragma once

#include "trellis/spawner.hpp"

#include "agentd/os/spawn_ways.hpp"

#include <string>
#include <vector>

namespace trellis {

class OsSpawner : public Spawner {
  public:
    // `agent_file`: the agent's program: agent_beside_this_program() at the root, "/proc/self/exe" in an
    // agent. `at_root`: the LoginAuthority's ssh-agent is the user's own and may always be asked; in an agent
    // only for requests with forward_agent. `ssh_options`: more arguments for the ssh program, e.g. {"-F",
    // "file"}.
    OsSpawner(const Executor& executor, std::string agent_file, bool at_root,
              std::vector<std::string> ssh_options = {});

    Task<Result<std::unique_ptr<Link>>> spawn(SpawnRequest request, LoginAuthority& authority,
                                              std::unique_ptr<ByteStream> transport) override;

  private:
    Task<SpawnedLink> start(SpawnRequest request, LoginAuthority& authority,
                            std::unique_ptr<ByteStream> transport, SpawnProgress& progress);
    Task<SpawnedLink> attempt(SpawnRequest request, LoginAuthority& authority,
                              std::unique_ptr<ByteStream> transport, SpawnProgress& progress);

    Executor executor_;
    Children children_;
    AgentImage image_;
    std::vector<std::string> ssh_options_;
    SshLogins logins_;
};

// "trellis-agentd" in the directory of the running program, or, when that is a bin directory, in
// ../libexec/trellis.
[[nodiscard]] std::string agent_beside_this_program();

}  // namespace trellis
