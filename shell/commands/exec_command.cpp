// `e`: a command on the selected hosts.
#include "shell/commands/builtins.hpp"
#include "shell/commands/chosen_hosts.hpp"
#include "shell/commands/joint.hpp"
#include "shell/commands/rank_variables.hpp"
#include "shell/commands/remote_command.hpp"
#include "shell/commands/remote_terminal.hpp"
#include "shell/language/duration_text.hpp"
#include "shell/output/outcome_text.hpp"

#include <algorithm>
#include <utility>

#include <boost/asio/this_coro.hpp>

namespace trellis {
namespace {

class ExecCommand final : public Builtin {
  public:
    void declare(OptionSet& options) override {
        options.description(
            "Run a command on the selected hosts, by their /bin/sh, and show its output under their names");
        options.footer(
            "The command is sent as it is written, quotes and all; a command in one pair of quotes is sent\n"
            "without them: e 'ls | wc -l' counts on the hosts, e ls | wc -l counts here.\n"
            "TO is a file or a descriptor of trellis, without it the one of the same number.");
        options.option("--on", on_, "On these hosts instead of the selected ones, as for smask")
            .type_name("HOSTS");
        options.flag("--ranks", ranks_,
                     "With the host's MPI ranks in TRELLIS_RANK, TRELLIS_RANKS and TRELLIS_NP, as rankmap "
                     "has placed them");
        options.flag("-i,--input", input_,
                     "Standard input goes to the command on every host (also without -i: < FILE)");
        options.option("--up", ups_, "What the commands write to a descriptor, joined line by line")
            .type_name("FD[=TO]")
            .one_each_time();
        options.option("--down", downs_, "What a descriptor of every command reads")
            .type_name("FD[=TO]")
            .one_each_time();
        options.flag("--pty", pty_, "On a terminal: the one of here, for the command of one host");
        options.flag("-b,--fold", fold_,
                     "At the end, each different output once, under the hosts that gave it");
        options.flag("--diff", diff_, "The most frequent output, and how the others differ from it");
        options.option("-o,--output", directory_, "Files DIRECTORY/HOST and DIRECTORY/HOST.err")
            .type_name("DIRECTORY");
        options.flag("--json", json_,
                     "One JSON object for each line and for each outcome; with -b for each different output");
        options.flag("--raw", raw_, "Control characters as they are, even on a terminal");
        options.option("--timeout", timeout_, "End the command on a host after this time (10s, 2m)")
            .type_name("DURATION");
        options.prefix_command();
        options_ = &options;
    }
    [[nodiscard]] bool reads_input() const override { return true; }

  protected:
    Task<int> run_in_shell(ShellContext& context) override {
        const std::string command = command_text(context.statement());
        if (command.empty()) co_return context.fail("expected a command to run on the hosts", 2);
        if (fold_ + diff_ + (json_ && !fold_) + !directory_.empty() > 1)
            co_return context.fail("expected only one of -b, --diff, --json and -o (or -b --json)", 2);
        const Result<std::optional<Duration>> timeout = parse_timeout(timeout_);
        if (!timeout) co_return context.fail(timeout.error().message(), 2);
        Result<std::vector<Host>> hosts = chosen_hosts(context.session(), context.seat(), on_);
        if (!hosts) co_return context.fail(hosts.error().message());
        if ((pty_ || input_) && !context.job().foreground())
            co_return context.fail("--pty and -i need the terminal and standard input: not in the background",
                                   2);
        if (pty_) co_return co_await run_on_terminal(context, command, *timeout);
        const auto places = ranks_ ? places_with_ranks(context.session(), context.seat(), *hosts)
                                   : Result<Places>(context.seat().places);
        if (!places) co_return context.fail(places.error().message());
        const Executor executor = co_await asio::this_coro::executor;
        RemotePipes pipes(context);
        const Result<void> joined = join(context, executor, pipes);
        if (!joined) co_return context.fail(joined.error().message());
        const auto view = make_view(context);
        if (!view) co_return context.fail(view.error().message());
        RemoteCommand remote(context, std::move(*hosts), **view, &pipes);
        const auto outcomes = co_await remote.run(command, *places, *timeout);
        pipes.close();
        const Result<void> shown = co_await (*view)->finish();
        for (const std::string& line : failure_lines(outcomes))
            context.say(line);
        if (!shown) co_return context.fail(shown.error().message());
        co_return pipes.failed() ? 1 : exit_status_of(outcomes);
    }

  private:
    Task<int> run_on_terminal(ShellContext& context, const std::string& command,
                              std::optional<Duration> timeout) const {
        if (fold_ || diff_ || json_ || raw_ || input_ || ranks_ || !directory_.empty() || !ups_.empty() ||
            !downs_.empty() || !on_.empty())
            co_return context.fail("--pty goes with no other option but --timeout", 2);
        if (context.selection().size() != 1)
            co_return context.fail("--pty needs exactly one selected host (see smask)", 2);
        const auto outcomes = co_await run_on_own_terminal(context, command, timeout);
        if (!outcomes) co_return context.fail(outcomes.error().message());
        for (const std::string& line : failure_lines(*outcomes))
            context.say(line);
        co_return exit_status_of(*outcomes);
    }

    // Opens what the options name.
    Result<void> join(ShellContext& context, const Executor& executor, RemotePipes& pipes) const {
        std::vector<std::string> downs = downs_;
        const bool named = std::any_of(downs.begin(), downs.end(), [](const std::string& text) {
            return text.ends_with("=0") || text.ends_with(":0");
        });
        if (input_ || (context.statement().redirects_input() && !named)) downs.emplace_back("0=0");
        const auto joints = parse_joints(ups_, downs);
        if (!joints) return joints.error();
        for (const Joint& joint : joints->ups) {
            auto sink = open_joint_output(context, executor, joint);
            if (!sink) return sink.error();
            pipes.up(joint.remote, std::move(*sink));
        }
        for (const Joint& joint : joints->downs) {
            auto source = open_joint_input(context, executor, joint);
            if (!source) return source.error();
            pipes.down(joint.remote, std::move(*source));
        }
        return {};
    }

    [[nodiscard]] Result<std::unique_ptr<OutputView>> make_view(ShellContext& context) const {
        if (!directory_.empty()) return file_view(context, directory_);
        if (diff_) return folded_view(context, raw_, FoldedStyle::differences);
        if (fold_) return folded_view(context, raw_, json_ ? FoldedStyle::json : FoldedStyle::whole);
        return json_ ? json_view(context) : labelled_view(context, raw_);
    }

    // What follows the options, as written.
    [[nodiscard]] std::string command_text(const Statement& statement) const {
        const std::vector<std::string> left = options_->remaining();
        std::size_t first = statement.words.size() - left.size();
        if (!left.empty() && left[0] == "--") ++first;
        return statement.raw_from(first);
    }

    bool fold_ = false, diff_ = false, json_ = false, raw_ = false, input_ = false, pty_ = false,
         ranks_ = false;
    std::vector<std::string> ups_, downs_;
    std::string on_;
    std::string directory_;
    std::string timeout_;
    OptionSet* options_ = nullptr;
};

}  // namespace

CommandEntry exec_command() {
    return {"e", "run a command on the selected hosts", make_command<ExecCommand>};
}

}  // namespace trellis
