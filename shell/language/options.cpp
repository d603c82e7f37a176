#include "shell/language/options.hpp"

#include "shell/language/nearest.hpp"
#include "shell/language/option_set.hpp"

#include <algorithm>
#include <optional>

namespace trellis {
namespace {

// Where the words of a command for the hosts begin, options are over: only what stands first is suspicious,
// and not even that if the command wants all that it does not declare.
std::optional<std::string> unknown_option(const CLI::App& app) {
    const std::vector<std::string> left = app.remaining();
    if (left.empty() || (app.get_prefix_command() && app.get_allow_extras())) return std::nullopt;
    if (app.get_prefix_command() && (left[0] == "--" || left[0].size() < 2 || left[0][0] != '-'))
        return std::nullopt;
    const auto extra =
        std::find_if(left.begin(), left.end(), [](const std::string& word) { return word != "--"; });
    return extra == left.end() ? std::nullopt : std::optional(*extra);
}

}  // namespace

std::unique_ptr<DeclaredOptions> declare_options(Command& command, const CommandEntry& entry) {
    auto options = std::make_unique<DeclaredOptions>();
    options->app.description(std::string(entry.summary));
    options->app.set_help_flag("-h,--help", "Show this help");
    options->set = option_set_of(options->app);
    command.declare(*options->set);
    options->app.name(std::string(entry.name));
    return options;
}

Result<bool> read_options(CLI::App& app, const std::vector<std::string>& words) {
    const bool raw = app.get_prefix_command();
    if (!raw) app.allow_extras();
    try {
        app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
    } catch (const CLI::CallForHelp&) {
        return true;
    } catch (const CLI::CallForAllHelp&) {
        return true;
    } catch (const CLI::Error& error) {
        if (const auto option = unknown_option(app))
            return invalid("unknown option " + *option + did_you_mean(*option, option_names(app)));
        return invalid(error.what());
    }
    const auto left = unknown_option(app);
    if (!left) return false;
    if (left->starts_with("-") && left->size() > 1)
        return invalid("unknown option " + *left + did_you_mean(*left, option_names(app)));
    return invalid("unexpected argument " + *left);
}

std::vector<std::string> option_names(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options())
        for (const std::string& name : option->get_lnames())
            names.push_back("--" + name);
    return names;
}

}  // namespace trellis
