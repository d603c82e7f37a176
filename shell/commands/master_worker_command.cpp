// `mw`: a local master joined to workers on all selected hosts.
#include "shell/commands/builtins.hpp"
#include "shell/commands/chosen_hosts.hpp"
#include "shell/commands/joint.hpp"
#include "shell/commands/remote_command.hpp"
#include "shell/language/duration_text.hpp"
#include "shell/output/outcome_text.hpp"
#include "shell/running/joined_program.hpp"

#include <csignal>
#include <exception>
#include <set>
#include <string_view>
#include <utility>

#include <boost/asio/this_coro.hpp>

namespace trellis {
namespace {

struct Commands {
    std::string master;
    std::string worker;
};

// Words `first` on: MASTER -- WORKER, {{ MASTER }} {{ WORKER }}, or a quoted word each. Empty if it is none
// of these.
Commands split_commands(const Statement& statement, std::size_t first) {
    const std::vector<Word>& words = statement.words;
    const auto find = [&](std::string_view text, std::size_t from) {
        while (from < words.size() && (words[from].text != text || words[from].quoted_whole))
            ++from;
        return from;
    };
    if (first < words.size() && words[first].text == "--") ++first;
    const std::size_t dashes = find("--", first);
    if (dashes < words.size()) return {statement.raw_between(first, dashes), statement.raw_from(dashes + 1)};
    if (find("{{", first) == first && first < words.size()) {
        const std::size_t end = find("}}", first);
        const std::size_t last = find("}}", end + 1);
        if (find("{{", end) != end + 1 || last + 1 != words.size()) return {};
        return {statement.raw_between(first + 1, end), statement.raw_between(end + 2, last)};
    }
    if (words.size() != first + 2) return {};
    return {statement.raw_between(first, first + 1), statement.raw_from(first + 1)};
}

class MasterWorkerCommand final : public Builtin {
  public:
    void declare(OptionSet& options) override {
        options.description("Run MASTER here and WORKER on the selected hosts, and join them by pipes");
        options.footer(
            "mw MASTER -- WORKER; or each in quotes, or as GXP has it: mw {{ MASTER }} {{ WORKER }}.\n"
            "What MASTER writes goes to every WORKER, what the WORKERs write goes to MASTER line by line:\n"
            "from standard output to standard input, unless --up or --down name other descriptors.\n"
            "LOCAL is MASTER's descriptor: 0 for --up and 1 for --down, unless told.");
        options.option("--on", on_, "On these hosts instead of the selected ones, as for smask")
            .type_name("HOSTS");
        options.option("--up", ups_, "The WORKERs' descriptors that MASTER reads")
            .type_name("FD[=LOCAL]")
            .one_each_time();
        options.option("--down", downs_, "The WORKERs' descriptors that MASTER writes to")
            .type_name("FD[=LOCAL]")
            .one_each_time();
        options.option("--timeout", timeout_, "End the workers after this time (10s, 2m)")
            .type_name("DURATION");
        options.prefix_command();
        options_ = &options;
    }

  protected:
    Task<int> run_in_shell(ShellContext& context) override {
        const Statement& statement = context.statement();
        const Commands commands =
            split_commands(statement, statement.words.size() - options_->remaining().size());
        if (commands.master.empty() || commands.worker.empty())
            co_return context.fail("expected MASTER -- WORKER, or two commands in quotes", 2);
        const Result<Joints> joints = read_joints();
        if (!joints) co_return context.fail(joints.error().message(), 2);
        const Result<std::optional<Duration>> timeout = parse_timeout(timeout_);
        if (!timeout) co_return context.fail(timeout.error().message(), 2);
        Result<std::vector<Host>> hosts = chosen_hosts(context.session(), context.seat(), on_);
        if (!hosts) co_return context.fail(hosts.error().message());
        co_return co_await run_joined(context, commands, *joints, std::move(*hosts), *timeout);
    }

  private:
    // Which of MASTER's descriptors is meant, too; each is a pipe of its own.
    [[nodiscard]] Result<Joints> read_joints() const {
        const std::vector<std::string> output{"1"};
        const std::vector<std::string> input{"0"};
        Result<Joints> joints = parse_joints(ups_.empty() ? output : ups_, downs_.empty() ? input : downs_);
        if (!joints) return joints;
        std::set<int> seen;
        for (const bool up : {true, false}) {
            for (Joint& joint : up ? joints->ups : joints->downs) {
                if (!joint.local && joint.file.empty()) joint.local = up ? 0 : 1;
                if (!joint.local) return wrong("expected a descriptor of MASTER, not " + joint.file);
                if (!seen.insert(*joint.local).second)
                    return wrong("MASTER's descriptor " + std::to_string(*joint.local) + " is joined twice");
            }
        }
        return joints;
    }

    static Failure wrong(std::string cause) { return invalid(std::move(cause)); }

    static Task<int> run_joined(ShellContext& context, const Commands& commands, const Joints& joints,
                                std::vector<Host> hosts, std::optional<Duration> timeout) {
        const Executor executor = co_await asio::this_coro::executor;
        std::vector<int> inputs, outputs;
        for (const Joint& joint : joints.ups)
            inputs.push_back(*joint.local);
        for (const Joint& joint : joints.downs)
            outputs.push_back(*joint.local);
        Result<JoinedProgram> master =
            start_joined_program(executor, commands.master, inputs, outputs, context.program_input());
        if (!master) co_return context.fail(master.error().message());
        RemotePipes pipes(context);
        for (const Joint& joint : joints.ups)
            pipes.up(joint.remote, std::move(master->inputs[*joint.local]));
        for (const Joint& joint : joints.downs)
            pipes.down(joint.remote, std::move(master->outputs[*joint.local]));
        const auto view = labelled_view(context, false);
        RemoteCommand remote(context, std::move(hosts), *view, &pipes);
        std::map<std::string, Outcome> outcomes;
        std::exception_ptr error;
        try {
            outcomes = co_await remote.run(commands.worker, context.seat().places, timeout);
        } catch (...) {
            error = std::current_exception();
        }
        pipes.close();
        const int status = co_await master->program.wait();
        if (error) std::rethrow_exception(error);
        for (const std::string& line : failure_lines(outcomes))
            context.say(line);
        // Who writes to workers that have all ended has not failed.
        if (status != 0 && status != 128 + SIGPIPE)
            co_return context.fail("the master ended with status " + std::to_string(status), status);
        co_return pipes.failed() ? 1 : exit_status_of(outcomes);
    }

    std::vector<std::string> ups_, downs_;
    std::string on_;
    std::string timeout_;
    OptionSet* options_ = nullptr;
};

}  // namespace

CommandEntry master_worker_command() {
    return {"mw", "run a local master joined to workers on the selected hosts",
            make_command<MasterWorkerCommand>};
}

}  // namespace trellis
