// Authentication by an ssh-agent that is far away: libssh asks its agent by blocking calls, so a thread of
// its own makes them, while the event loop answers them by asking the LoginAuthority.
#pragma once

#include "trellis/spawner.hpp"

#include "agentd/os/agent_identities.hpp"
#include "agentd/os/ssh_connection.hpp"

#include <memory>
#include <vector>

namespace trellis {

// Tries the identities in turn. Returns SSH_AUTH_SUCCESS, _PARTIAL, _DENIED or _ERROR.
Task<int> authenticate_by_agent(std::shared_ptr<SshConnection> connection,
                                const std::vector<AgentIdentity>& identities, LoginAuthority& authority);

}  // namespace trellis
