// Authentication of a connected SshConnection: without a key, by the user's ssh-agent (asked through the
// LoginAuthority), by the identity files of the host where this process runs. Never prompts.
#pragma once

#include "agentd/os/ssh_connection.hpp"
#include "agentd/os/ssh_login_plan.hpp"

#include <memory>

namespace trellis {

// `may_ask_agent`: whether signatures by the user's ssh-agent are allowed for this login.
// Failures: refused, naming the methods tried; lost if the connection broke.
Task<Result<void>> authenticate(std::shared_ptr<SshConnection> connection, const LoginPlan& plan,
                                LoginAuthority& authority, bool may_ask_agent);

}  // namespace trellis
