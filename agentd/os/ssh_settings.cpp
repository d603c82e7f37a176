#include "agentd/os/ssh_settings.hpp"

#include <algorithm>
#include <cctype>

namespace trellis {

std::string first_of(const SshSettings& settings, const std::string& keyword, const std::string& otherwise) {
    const auto found = settings.find(keyword);
    return found == settings.end() || found->second.empty() ? otherwise : found->second.front();
}

std::string lower_case(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

}  // namespace trellis
