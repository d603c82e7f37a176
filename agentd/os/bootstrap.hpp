// Bootstrap: brings the agent to life behind a stream to a command that was started on another host with
// startup_line(): sends the agent's file where it is missing and waits until the agent has started.
#pragma once

#include "trellis/byte_stream.hpp"
#include "trellis/spawner.hpp"

#include "agentd/os/agent_image.hpp"
#include "agentd/os/spawn_progress.hpp"
#include "agentd/os/startup_line.hpp"

#include <string>
#include <string_view>

namespace trellis {

// The specification for one start: a fresh nonce, the directory of the request or the usual ones.
Result<StartupSpec> make_startup_spec(AgentImage& image, const SpawnRequest& request,
                                      const SpawnProgress& progress);

// Returns the bytes that came behind the `started` line: the first frames. Never times out by itself, but
// tells `progress` of each step. `authority` has the form of the agent that is not here.
// Failures: cannot_start with the host's reason; lost if the stream ends without one.
Task<Result<std::string>> bootstrap(ByteStream& stream, AgentImage& image, const StartupSpec& spec,
                                    LoginAuthority& authority, SpawnProgress& progress);

}  // namespace trellis
