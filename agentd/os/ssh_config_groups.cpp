#include "agentd/os/ssh_config_groups.hpp"

#include "agentd/os/known_hosts.hpp"
#include "agentd/os/ssh_settings.hpp"

#include <algorithm>
#include <fstream>
#include <glob.h>
#include <sstream>

namespace trellis {
namespace {

// "Keyword arguments" or "Keyword=arguments" as lower-case keyword and the words that follow.
std::vector<std::string> words_of(std::string line) {
    if (const std::size_t place = line.find('='); place != std::string::npos) line[place] = ' ';
    std::erase(line, '"');
    std::istringstream stream(line);
    std::vector<std::string> words;
    for (std::string word; stream >> word;)
        words.push_back(word);
    if (!words.empty()) words[0] = lower_case(words[0]);
    return words;
}

std::string expand_home(const std::string& path, const std::string& directory) {
    if (path.starts_with("~/")) {
        const char* home = std::getenv("HOME");
        return (home ? home : "") + path.substr(1);
    }
    return path.starts_with('/') ? path : directory + "/" + path;
}

std::string read_included(const std::string& pattern, const std::string& directory, int depth) {
    std::string text;
    glob_t found{};
    if (glob(pattern.c_str(), 0, nullptr, &found) == 0) {
        for (std::size_t i = 0; i < found.gl_pathc; ++i)
            text += read_ssh_config(found.gl_pathv[i], directory, depth);
    }
    globfree(&found);
    return text;
}

}  // namespace

std::string read_ssh_config(const std::string& path, const std::string& directory, int depth) {
    std::ifstream file(path);
    std::string text;
    for (std::string line; std::getline(file, line);) {
        const auto words = words_of(line);
        if (words.size() < 2 || words[0] != "include" || depth >= 16) {
            text += line + "\n";
            continue;
        }
        for (std::size_t i = 1; i < words.size(); ++i) {
            text += read_included(expand_home(words[i], directory), directory, depth + 1);
        }
    }
    return text;
}

std::string read_ssh_configs(const std::vector<std::string>& ssh_options) {
    const std::string users = expand_home("~/.ssh", "/");
    const auto option = std::find(ssh_options.begin(), ssh_options.end(), "-F");
    if (option == ssh_options.end() || option + 1 == ssh_options.end())
        return read_ssh_config(users + "/config", users) + read_ssh_config("/etc/ssh/ssh_config", "/etc/ssh");
    return *(option + 1) == "none" ? "" : read_ssh_config(*(option + 1), users);
}

void SshConfigGroups::add_text(std::string_view text) {
    std::istringstream stream{std::string(text)};
    for (std::string line; std::getline(stream, line);) {
        const auto words = words_of(line);
        if (words.empty()) continue;
        if (words[0] == "match") has_match_ = true;
        if (words[0] != "host") continue;
        std::string patterns;
        for (std::size_t i = 1; i < words.size(); ++i)
            patterns += (i > 1 ? "," : "") + words[i];
        if (patterns != "*") host_lines_.push_back(std::move(patterns));
    }
}

std::optional<std::string> SshConfigGroups::group_of(std::string_view target) const {
    if (has_match_) return std::nullopt;
    const std::size_t at = target.rfind('@');
    const std::string_view host = at == std::string_view::npos ? target : target.substr(at + 1);
    std::string group(at == std::string_view::npos ? "" : target.substr(0, at));
    group += '@';
    for (const std::string& patterns : host_lines_)
        group += matches_pattern_list(host, patterns) ? '1' : '0';
    return group;
}

}  // namespace trellis
