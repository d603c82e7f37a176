#include "plugins/bcast/user_path.hpp"

#include <cstdlib>

namespace trellis::plugins::bcast {
namespace {

bool begins_at_home(const std::string& path) {
    return path == "~" || path.starts_with("~/");
}

}  // namespace

std::string path_from(const std::string& directory, const std::string& path) {
    const bool whole = path.starts_with('/') || begins_at_home(path);
    return directory.empty() || whole ? path : directory + "/" + path;
}

std::string from_home(const std::string& path) {
    const char* home = std::getenv("HOME");
    return home != nullptr && begins_at_home(path) ? home + path.substr(1) : path;
}

}  // namespace trellis::plugins::bcast
