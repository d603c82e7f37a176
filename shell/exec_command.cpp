// `e`: a command on the selected hosts.
#include "shell/builtins.hpp"
#include "shell/duration_text.hpp"
#include "shell/outcome_text.hpp"
#include "shell/remote_command.hpp"

namespace trellis {
namespace {

class ExecCommand final : public Builtin {
  public:
    void declare(OptionSet options) override {
        options.description(
            "Run a command on the selected hosts, by their /bin/sh, and show its output under their names");
        options.footer(
            "The command is sent as it is written, quotes and all; a command in one pair of quotes is sent\n"
            "without them: e 'ls | wc -l' counts on the hosts, e ls | wc -l counts here.");
        options.flag("-b,--fold", fold_,
                     "At the end, each different output once, under the hosts that gave it");
        options.flag("--diff", diff_, "The most frequent output, and how the others differ from it");
        options.option("-o,--output", directory_, "Files DIRECTORY/HOST and DIRECTORY/HOST.err")
            .type_name("DIRECTORY");
        options.flag("--json", json_, "One JSON object for each line and for each outcome");
        options.flag("--raw", raw_, "Control characters as they are, even on a terminal");
        options.option("--timeout", timeout_, "End the command on a host after this time (10s, 2m)")
            .type_name("DURATION");
        options.prefix_command();
        options_ = options;
    }

  protected:
    Task<int> run_in_shell(ShellContext& context) override {
        const std::string command = command_text(context.statement());
        if (command.empty()) co_return context.fail("expected a command to run on the hosts", 2);
        if (fold_ + diff_ + json_ + !directory_.empty() > 1)
            co_return context.fail("expected only one of -b, --diff, --json and -o", 2);
        std::optional<Duration> timeout;
        if (!timeout_.empty()) {
            const Result<Duration> parsed = parse_duration(timeout_);
            if (!parsed) co_return context.fail("--timeout: " + parsed.error().message(), 2);
            timeout = *parsed;
        }
        if (context.selection().empty())
            co_return context.fail("no host is selected (see hosts, explore, rmask)");
        const auto view = make_view(context);
        if (!view) co_return context.fail(view.error().message());
        RemoteCommand remote(context, **view);
        const auto outcomes = co_await remote.run(command, context.seat().directory, timeout);
        const Result<void> shown = co_await (*view)->finish();
        for (const std::string& line : failure_lines(outcomes))
            context.say(line);
        if (!shown) co_return context.fail(shown.error().message());
        co_return exit_status_of(outcomes);
    }

  private:
    [[nodiscard]] Result<std::unique_ptr<OutputView>> make_view(ShellContext& context) const {
        if (!directory_.empty()) return file_view(context, directory_);
        if (fold_ || diff_) return folded_view(context, raw_, diff_);
        return json_ ? json_view(context) : labelled_view(context, raw_);
    }

    // What follows the options, as written.
    [[nodiscard]] std::string command_text(const Statement& statement) const {
        const std::vector<std::string> left = options_->remaining();
        std::size_t first = statement.words.size() - left.size();
        if (!left.empty() && left[0] == "--") ++first;
        return statement.raw_from(first);
    }

    bool fold_ = false, diff_ = false, json_ = false, raw_ = false;
    std::string directory_;
    std::string timeout_;
    std::optional<OptionSet> options_;
};

}  // namespace

CommandEntry exec_command() {
    return {"e", "run a command on the selected hosts", make_command<ExecCommand>};
}

}  // namespace trellis
