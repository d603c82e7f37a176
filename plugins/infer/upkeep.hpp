// Upkeep: whether the topology of the selected hosts still holds, and what to do where it does not: the sides
// of `infer --verify` and `infer --watch`. Owned by the command.
#pragma once

#include "trellis/command.hpp"

#include "plugins/infer/infer_options.hpp"
#include "plugins/infer/inference.hpp"

#include <string>
#include <vector>

namespace trellis::plugins::infer {

class Upkeep {
  public:
    // Both outlive it.
    Upkeep(CommandContext& context, const InferOptions& options)
        : context_(context), options_(options), inference_(context, options) {}

    // The exit status: 0 if the topology holds.
    Task<int> verify();
    // Until Ctrl-C, which ends run() of the command.
    Task<void> watch();

  private:
    struct Verdict {
        std::vector<std::string> moved;  // or lost
        std::vector<std::string> lines;  // for the user
    };
    Task<Verdict> find_moved(const Topology& known);
    Task<void> look();

    CommandContext& context_;
    const InferOptions& options_;
    Inference inference_;
};

}  // namespace trellis::plugins::infer
