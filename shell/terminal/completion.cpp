#include "shell/terminal/completion.hpp"

#include "shell/language/command_line.hpp"
#include "shell/language/options.hpp"

#include <algorithm>
#include <sstream>
#include <utility>

namespace trellis {
namespace {

using Names = std::vector<std::string>;

Completion candidates(Names names, const std::string& word) {
    std::erase_if(names, [&](const std::string& name) { return !name.starts_with(word); });
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return {false, std::move(names)};
}

Names command_names(const std::vector<CommandEntry>& commands) {
    Names names;
    for (const CommandEntry& entry : commands)
        names.emplace_back(entry.name);
    return names;
}

Names groups(const CompletionSources& sources) {
    Names names{"@all", "@selected", "@ok", "@failed", "@below:", "@within:"};
    for (const std::string& mask : sources.masks)
        names.push_back("@" + mask);
    return names;
}

Names rule_words(const CompletionSources& sources) {
    Names names{"ssh", "ssh-program", "local", "here"};
    names.insert(names.end(), sources.hosts.begin(), sources.hosts.end());
    return names;
}

// What stands for itself in the name of a type: "tree|name|FILE", "TEXT:{delay,links}".
Names literal_words(const std::string& type) {
    Names words;
    std::istringstream rest(type.substr(type.find('{') + 1));
    const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
    for (std::string word; std::getline(rest, word, type.find('{') == std::string::npos ? '|' : ',');) {
        if (word.ends_with('}')) word.pop_back();
        if (!word.empty() && std::ranges::all_of(word, plain)) words.push_back(word);
    }
    return words;
}

Completion of_type(const std::string& type, const std::string& word, const CompletionSources& sources) {
    Completion literal = candidates(literal_words(type), word);
    if (!literal.candidates.empty()) return literal;
    if (type.find("FILE") != std::string::npos) return {true, {}};
    if (type.find("TOPIC") != std::string::npos || type == "TRUTH" || type == "INFERRED") {
        Completion topics = candidates(sources.topics, word);
        topics.files = topics.candidates.empty() && type != "TOPIC";
        return topics;
    }
    if (type == "COMMAND") return candidates(command_names(sources.commands), word);
    if (type == "WORD") return candidates(rule_words(sources), word);
    if (type == "VARIABLE") return candidates(sources.variables, word);
    if (type == "MASK") return candidates(sources.masks, word);
    if (type == "HOSTS") return candidates(word.starts_with("@") ? groups(sources) : sources.hosts, word);
    return {};
}

const CLI::Option* named_option(const CLI::App& app, const std::string& word) {
    if (word.size() < 2 || word[0] != '-') return nullptr;
    for (const CLI::Option* option : app.get_options())
        if (!option->get_positional() && option->check_name(word)) return option;
    return nullptr;
}

bool takes_value(const CLI::Option* option) {
    return option && option->get_expected_max() > 0 && option->get_items_expected_max() > 0 &&
           option->get_type_size_max() > 0;
}

// The positional option that the argument after `given` others belongs to.
const CLI::Option* positional(const CLI::App& app, int given) {
    for (const CLI::Option* option : app.get_options()) {
        if (!option->get_positional()) continue;
        if (given < option->get_items_expected_max()) return option;
        given -= option->get_items_expected_max();
    }
    return nullptr;
}

const CLI::App* subcommand(const CLI::App& app, const std::string& name) {
    for (const CLI::App* sub : app.get_subcommands({}))
        if (sub->get_name() == name) return sub;
    return nullptr;
}

Names subcommand_names(const CLI::App& app) {
    Names names;
    for (const CLI::App* sub : app.get_subcommands({}))
        names.push_back(sub->get_name());
    return names;
}

// words: what follows the command's name, the last one being completed.
Completion argument(const CLI::App* app, const Names& words, const CompletionSources& sources) {
    const std::string& word = words.back();
    int given = 0;
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
        if (takes_value(named_option(*app, words[i])))
            ++i;
        else if (const CLI::App* sub = subcommand(*app, words[i]))
            app = sub, given = 0;
        else if (!words[i].starts_with("-"))
            ++given;
    }
    const CLI::Option* before = words.size() > 1 ? named_option(*app, words[words.size() - 2]) : nullptr;
    if (takes_value(before)) return of_type(before->get_type_name(), word, sources);
    if (app->get_prefix_command() && given > 0) return {};
    if (word.starts_with("-")) return candidates(option_names(*app), word);
    const Names subs = subcommand_names(*app);
    if (!subs.empty()) return candidates(subs, word);
    const CLI::Option* option = positional(*app, given);
    return option ? of_type(option->get_type_name(), word, sources) : Completion{};
}

}  // namespace

Completion complete(std::string_view before, const CompletionSources& sources) {
    Unfinished line = unfinished_statement(before);
    if (line.local || line.file) return {true, {}};
    if (line.words.empty()) line.words.emplace_back();
    if (line.words.size() == 1) return candidates(command_names(sources.commands), line.words[0]);
    for (const CommandEntry& entry : sources.commands) {
        if (entry.name != line.words[0]) continue;
        const std::unique_ptr<Command> command = entry.make();
        const std::unique_ptr<DeclaredOptions> options = declare_options(*command, entry);
        line.words.erase(line.words.begin());
        return argument(&options->app, line.words, sources);
    }
    return {};
}

}  // namespace trellis
