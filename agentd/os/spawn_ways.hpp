// The three ways of starting an agent: by libssh, by the ssh program, as a local process. Each is called by
// OsSpawner, which keeps the time, names the host in Failures and outlives the calls.
#pragma once

#include "trellis/spawner.hpp"

#include "agentd/os/agent_image.hpp"
#include "agentd/os/children.hpp"
#include "agentd/os/spawn_progress.hpp"
#include "agentd/os/ssh_logins.hpp"

#include <memory>

namespace trellis {

struct SpawnMeans {
    Executor executor;
    Children& children;
    AgentImage& image;
    SshLogins& logins;
};

using SpawnedLink = Result<std::unique_ptr<Link>>;

Task<SpawnedLink> spawn_by_libssh(SpawnMeans means, SpawnRequest request, LoginAuthority& authority,
                                  std::unique_ptr<ByteStream> transport, SpawnProgress& progress);
// Runs `ssh` with the user's own configuration; the ssh program checks host keys and authenticates. More
// arguments for it may stand in the setting "sshoptions", e.g. {"-F", "file"}.
Task<SpawnedLink> spawn_by_ssh_program(SpawnMeans means, SpawnRequest request, LoginAuthority& authority,
                                       SpawnProgress& progress);
// The agent's file of this host, run here.
Task<SpawnedLink> spawn_locally(SpawnMeans means, SpawnRequest request, LoginAuthority& authority,
                                SpawnProgress& progress);

// What the ssh program's last words and exit status mean. Pure.
[[nodiscard]] Failure explain_ssh_failure(const std::string& complaint, ExitStatus status);

// For a command that ended before the agent had started: the host's own words.
[[nodiscard]] Failure explain_early_end(const Failure& failure, const std::string& complaint);

}  // namespace trellis
