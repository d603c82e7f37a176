// The OptionSet of a command, read by CLI11, which no command needs to compile: it takes seconds.
#pragma once

#include "trellis/option_set.hpp"

#include <memory>

namespace CLI {
class App;
}  // namespace CLI

namespace trellis {

// `app` outlives it.
[[nodiscard]] std::unique_ptr<OptionSet> option_set_of(CLI::App& app);

}  // namespace trellis
