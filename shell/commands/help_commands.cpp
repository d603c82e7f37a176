// `help`, `quit` and `exit`.
#include "shell/commands/builtins.hpp"
#include "shell/language/nearest.hpp"
#include "shell/language/options.hpp"

#include <algorithm>
#include <optional>

namespace trellis {
namespace {

constexpr std::string_view language_help =
    "\nCOMMAND > FILE, >> FILE, 2> FILE and COMMAND | PROGRAM send output to local files and programs,\n"
    "e COMMAND < FILE sends a local file to all hosts;\n"
    "; && || separate commands, & sends them to the background, # begins a comment, ! runs the rest of the\n"
    "line by the local shell.\n"
    "help COMMAND tells more about one.\n";

class HelpCommand final : public Builtin {
  public:
    void declare(OptionSet& options) override {
        options.description("List the commands, or explain one");
        options.option("command", name_, "Which one").type_name("COMMAND");
    }

  protected:
    Task<int> run_in_shell(ShellContext& context) override {
        const auto& commands = context.commands();
        if (name_.empty()) {
            std::string text = overview(commands);
            co_await context.print(std::move(text));
            co_return 0;
        }
        const auto entry = std::find_if(commands.begin(), commands.end(),
                                        [&](const CommandEntry& row) { return row.name == name_; });
        if (entry == commands.end())
            co_return context.fail("unknown command " + name_ + suggestion(commands));
        const std::unique_ptr<Command> command = entry->make();
        std::string text = declare_options(*command, *entry)->app.help();
        co_await context.print(std::move(text));
        co_return 0;
    }

  private:
    static std::string overview(const std::vector<CommandEntry>& commands) {
        std::size_t width = 0;
        for (const CommandEntry& entry : commands)
            width = std::max(width, entry.name.size());
        std::string text;
        for (const CommandEntry& entry : commands)
            text += std::string(entry.name) + std::string(width - entry.name.size() + 2, ' ') +
                    std::string(entry.summary) + "\n";
        return text + std::string(language_help);
    }

    [[nodiscard]] std::string suggestion(const std::vector<CommandEntry>& commands) const {
        std::vector<std::string> names;
        names.reserve(commands.size());
        for (const CommandEntry& entry : commands)
            names.emplace_back(entry.name);
        return did_you_mean(name_, names);
    }

    std::string name_;
};

class QuitCommand final : public Builtin {
  public:
    void declare(OptionSet& options) override {
        options.description(
            "End this front end and, unless the session stays up (trellis --session), all agents");
        options
            .option("status", status_, "The exit status; without one, that of the last command that failed")
            .type_name("NUMBER")
            .between(0, 255);
    }

  protected:
    Task<int> run_in_shell(ShellContext& context) override {
        if (!context.job().foreground()) co_return context.fail("cannot run in the background");
        context.quit(status_);
        co_return status_.value_or(0);
    }

  private:
    std::optional<int> status_;
};

}  // namespace

CommandEntry help_command() {
    return {"help", "list the commands, or explain one", make_command<HelpCommand>};
}
CommandEntry quit_command() {
    return {"quit", "end the session", make_command<QuitCommand>};
}
CommandEntry exit_command() {
    return {"exit", "the same as quit", make_command<QuitCommand>};
}

}  // namespace trellis
