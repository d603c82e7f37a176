// PublishedInference: the root's side of the published method: sets the tree travelling from host to host,
// and keeps it so when hosts are lost. Owned by the command for one inference.
#pragma once

#include "trellis/command.hpp"

#include "plugins/infer/finding.hpp"
#include "plugins/infer/roster.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace trellis::plugins::infer {

class PublishedInference {
  public:
    // All outlive it; the operation has just been started.
    PublishedInference(CommandContext& context, Operation& operation, Roster& roster, std::uint64_t seed)
        : context_(context), operation_(operation), roster_(roster), seed_(seed) {}
    // Nothing if every host was lost before the tree was complete.
    Task<std::optional<Finding>> run();

  private:
    void take(const OperationEvent& event);
    void handle(HostId from, const ToRoot& message);
    void begin();

    CommandContext& context_;
    Operation& operation_;
    Roster& roster_;
    std::uint64_t seed_;
    std::size_t placed_ = 0;
    std::optional<TravellingTree> tree_;
};

}  // namespace trellis::plugins::infer
