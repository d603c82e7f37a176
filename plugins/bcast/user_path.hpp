// Paths as users write them: from where their commands run, or from the home directory ("~/data").
#pragma once

#include <string>

namespace trellis::plugins::bcast {

// As a command reads it that runs in `directory` (empty: where the program itself does). "~" and "~/..." stay
// as they are, since only the machine itself knows what they mean there.
[[nodiscard]] std::string path_from(const std::string& directory, const std::string& path);

// "~" and "~/..." as the user's home directory on this machine; other paths as they are.
[[nodiscard]] std::string from_home(const std::string& path);

}  // namespace trellis::plugins::bcast
