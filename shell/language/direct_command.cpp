#include "shell/language/direct_command.hpp"

#include "shell/language/options.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace trellis {
namespace {

const CommandEntry* find(const std::vector<std::string>& words, const std::vector<CommandEntry>& commands) {
    if (words.empty()) return nullptr;
    const auto found = std::find_if(commands.begin(), commands.end(),
                                    [&](const CommandEntry& entry) { return entry.name == words[0]; });
    return found == commands.end() ? nullptr : &*found;
}

// In one pair of quotes where it has to be.
std::string one_word(const std::string& word) {
    const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
        return std::string_view(
                   "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                   "[]-_=+,./:@%^*?")
                   .find(c) != std::string_view::npos;
    });
    if (plain) return word;
    std::string text = "'";
    for (const char c : word)
        text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return text + "'";
}

// How many words at the end are a command for the hosts' shell.
std::size_t words_of_hosts_shell(const CommandEntry& entry, const std::vector<std::string>& words) {
    const std::unique_ptr<Command> command = entry.make();
    const std::unique_ptr<DeclaredOptions> options = declare_options(*command, entry);
    const bool takes_command = options->app.get_prefix_command();
    const Result<bool> help = read_options(options->app, {words.begin() + 1, words.end()});
    if (!takes_command || !help || *help) return 0;
    const std::vector<std::string> left = options->app.remaining();
    return left.size() - (!left.empty() && left[0] == "--" ? 1 : 0);
}

}  // namespace

bool names_command(const std::vector<std::string>& words, const std::vector<CommandEntry>& commands) {
    return find(words, commands) != nullptr;
}

std::string direct_line(const std::vector<std::string>& words, const std::vector<CommandEntry>& commands) {
    const CommandEntry* entry = find(words, commands);
    const std::size_t last = entry ? words_of_hosts_shell(*entry, words) : 0;
    std::string line;
    for (std::size_t i = 0; i < words.size() - last; ++i)
        line += (line.empty() ? "" : " ") + one_word(words[i]);
    std::string command;
    for (std::size_t i = words.size() - last; i < words.size(); ++i) {
        if (entry->name == "mw" && words[i] == "--") {
            line += " " + one_word(std::exchange(command, "")) + " --";
            continue;
        }
        command += (command.empty() ? "" : " ") + words[i];
    }
    return last == 0 ? line : line + " " + one_word(command);
}

}  // namespace trellis
