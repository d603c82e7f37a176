#include "shell/running/interpreter.hpp"

#include "shell/language/nearest.hpp"
#include "shell/language/options.hpp"
#include "shell/running/invocation.hpp"

#include <exception>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>

namespace trellis {
namespace {

std::vector<std::string> words_after_name(const Statement& statement) {
    std::vector<std::string> words;
    for (std::size_t i = 1; i < statement.words.size(); ++i)
        words.push_back(statement.words[i].text);
    return words;
}

bool skipped(Connector connector, int status) {
    return (connector == Connector::if_succeeded && status != 0) ||
           (connector == Connector::if_failed && status == 0);
}

// What a list has left to the line of which it is a part.
void add_result(LineResult& line, const Job& job) {
    if (!job.ended()) {  // suspended
        line.interrupted = true;
        line.status = status_suspended;
        return;
    }
    const int failure = line.failure;
    line = job.result;
    if (line.failure == 0) line.failure = failure;
}

LocalProgram::Place place_of(const Job& job) {
    return job.foreground() ? LocalProgram::Place::foreground : LocalProgram::Place::background;
}

// Shows its help instead of running: the same output, the same redirections.
class ShowHelp final : public Command {
  public:
    explicit ShowHelp(std::string text) : text_(std::move(text)) {}
    void declare(OptionSet&) override {}
    Task<int> run(CommandContext& context) override {
        co_await context.print(text_);
        co_return 0;
    }

  private:
    std::string text_;
};

}  // namespace

Interpreter::Interpreter(Session& session, Seat& seat, Console& console, Interrupts& interrupts,
                         std::vector<CommandEntry> commands, int local_input)
    : session_(session),
      seat_(seat),
      console_(console),
      jobs_(session.clock(), console, interrupts),
      commands_(std::move(commands)),
      local_input_(local_input) {}

Task<LineResult> Interpreter::run_line(std::string line, std::string origin) {
    LineResult result;
    Result<std::vector<Statement>> statements = parse_command_line(line);
    if (!statements) {
        console_.say(origin + statements.error().message());
        result.status = result.failure = status_usage;
        result.malformed = true;
        co_return result;
    }
    const Executor executor = co_await asio::this_coro::executor;
    std::vector<std::vector<Statement>> lists = and_or_lists(std::move(*statements));
    for (std::vector<Statement>& list : lists) {
        const auto job = std::make_shared<Job>(executor, std::move(list), origin);
        jobs_.add(job);
        asio::co_spawn(executor, run_list(job), [this, job](std::exception_ptr error) {
            job->end(std::move(error));
            if (!job->foreground()) tell_of_job_();
        });
        result.status = 0;
        if (!job->foreground()) continue;
        co_await jobs_.attend(job);
        add_result(result, *job);
        if (result.quit || result.interrupted || result.reader_left) break;
        if (seat_.stop_on_error && result.failure != 0) break;
    }
    co_return result;
}

Task<void> Interpreter::run_list(std::shared_ptr<Job> job) {
    LineResult& result = job->result;
    const std::vector<Statement>& list = job->statements();
    for (const Statement& statement : list) {
        if (skipped(statement.connector, result.status)) continue;
        result.status = co_await run_statement(*job, statement);
        if (job->foreground()) tell_();
        keep_();
        if (&statement == &list.back()) result.failure = result.status;
        if (result.quit || result.interrupted || result.reader_left || job->killed()) break;
    }
}

Task<int> Interpreter::run_statement(Job& job, const Statement& statement) {
    if (!statement.local.empty()) co_return co_await run_local(job, statement);
    const std::string& name = statement.words[0].text;
    const CommandEntry* entry = find(name);
    if (!entry) co_return unknown_command(name, job.origin());
    co_return co_await run_command(*entry, job, statement);
}

const CommandEntry* Interpreter::find(const std::string& name) const {
    for (const CommandEntry& entry : commands_)
        if (entry.name == name) return &entry;
    return nullptr;
}

int Interpreter::unknown_command(const std::string& name, const std::string& origin) {
    std::vector<std::string> names;
    for (const CommandEntry& entry : commands_)
        names.emplace_back(entry.name);
    const std::string near = did_you_mean(name, names);
    console_.say(origin + "unknown command " + name + (near.empty() ? "; see help" : near));
    return status_not_found;
}

Task<int> Interpreter::run_command(const CommandEntry& entry, Job& job, const Statement& statement) {
    const std::string label = job.origin() + std::string(entry.name);
    std::unique_ptr<Command> command = entry.make();
    const std::unique_ptr<DeclaredOptions> options = declare_options(*command, entry);
    const Result<bool> help = read_options(options->app, words_after_name(statement));
    if (!help) {
        console_.say(label + ": " + help.error().message());
        co_return status_usage;
    }
    if (*help) command = std::make_unique<ShowHelp>(options->app.help());
    if (statement.redirects_input() && !command->reads_input()) {
        console_.say(label + ": it reads no standard input");
        co_return status_usage;
    }
    const Executor executor = co_await asio::this_coro::executor;
    Result<StatementStreams> streams =
        StatementStreams::open(executor, statement, local_input_, place_of(job), line_printer(job));
    if (!streams) {
        console_.say(label + ": " + streams.error().message());
        co_return 1;
    }
    const bool own_output = streams->out() == nullptr;
    InvocationParts parts{session_,  seat_,     console_, jobs_, job,
                          commands_, statement, *streams, label, local_input_ >= 0};
    Invocation invocation(std::move(parts));
    const int status = co_await invocation.run_command(*command);
    const Result<int> finished = co_await streams->finish();
    job.result.quit = invocation.quits();
    job.result.quit_status = invocation.quit_status();
    job.result.interrupted = invocation.interrupted();
    job.result.reader_left = invocation.reader_left() && own_output;
    if (!finished) {
        console_.say(label + ": " + finished.error().message());
        co_return 1;
    }
    // As with sh's pipefail; a program that reads only what it wants is no failure of the command.
    if (*finished != 0 || (invocation.reader_left() && !own_output)) co_return *finished;
    co_return status;
}

// A program in the background would write over the line that is being edited.
StatementStreams::LinePrinter Interpreter::line_printer(const Job& job) {
    if (job.foreground() || !console_.out().terminal()) return {};
    return
        [this](std::string line) -> Task<void> { co_await console_.write(console_.out(), std::move(line)); };
}

// Ctrl-C reaches the program by itself.
Task<int> Interpreter::run_local(const Job& job, const Statement& statement) {
    const Executor executor = co_await asio::this_coro::executor;
    Result<LocalProgram> program =
        LocalProgram::start(executor, statement.local, local_input_, -1, place_of(job));
    if (!program) {
        console_.say(job.origin() + program.error().message());
        co_return 1;
    }
    co_return co_await program->wait();
}

}  // namespace trellis
