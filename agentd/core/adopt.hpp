// adopt(): the parent's half of the greeting on a new link to an agent, the same at the root and at every
// agent.
#pragma once

#include "trellis/clock.hpp"
#include "trellis/spawner.hpp"

#include "agentd/core/node.hpp"

#include <memory>

namespace trellis {

// Spawns an agent on request.id, greets it, attaches it to `node` as a child and announces it to the root.
// Failures: those of Spawner::spawn, and cannot_start for an agent of another version; never waits longer
// than request.timeout.
Task<Result<Host>> adopt(std::shared_ptr<Node> node, Spawner& spawner, SpawnRequest request,
                         LoginAuthority& authority, std::unique_ptr<ByteStream> transport);

}  // namespace trellis
