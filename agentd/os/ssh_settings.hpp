// Reading of SshSettings, and the lower case that ssh compares names and keywords in.
#pragma once

#include "trellis/spawner.hpp"

#include <string>

namespace trellis {

// The first value of a keyword; `otherwise` if it is not set.
[[nodiscard]] std::string first_of(const SshSettings& settings, const std::string& keyword,
                                   const std::string& otherwise = {});
[[nodiscard]] std::string lower_case(std::string text);

}  // namespace trellis
