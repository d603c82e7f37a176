// The types of value that a session's bus knows beside those of plugins.
#pragma once

#include "shell/session/session.hpp"

#include <vector>

namespace trellis {

[[nodiscard]] std::vector<ValueType> value_types();

}  // namespace trellis
