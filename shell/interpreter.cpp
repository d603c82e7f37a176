#include "shell/interpreter.hpp"

#include "shell/invocation.hpp"
#include "shell/nearest.hpp"
#include "shell/options.hpp"

#include <utility>

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

// Shows its help instead of running: the same output, the same redirections.
class ShowHelp final : public Command {
  public:
    explicit ShowHelp(std::string text) : text_(std::move(text)) {}
    void declare(OptionSet) override {}
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
      interrupts_(interrupts),
      commands_(std::move(commands)),
      local_input_(local_input) {}

Task<LineResult> Interpreter::run_line(std::string line, std::string origin) {
    LineResult result;
    const Result<std::vector<Statement>> statements = parse_command_line(line);
    if (!statements) {
        console_.say(origin + statements.error().message());
        result.status = result.failure = status_usage;
        result.malformed = true;
        co_return result;
    }
    for (std::size_t i = 0; i < statements->size(); ++i) {
        const Statement& statement = (*statements)[i];
        if (skipped(statement.connector, result.status)) continue;
        result.status = co_await run_statement(statement, origin, result);
        tell_();
        const bool asked = i + 1 < statements->size() && (*statements)[i + 1].connector != Connector::always;
        if (result.status != 0 && !asked) result.failure = result.status;
        if (result.quit || result.interrupted || result.reader_left) break;
    }
    co_return result;
}

Task<int> Interpreter::run_statement(const Statement& statement, const std::string& origin,
                                     LineResult& result) {
    if (!statement.local.empty()) co_return co_await run_local(statement, origin);
    const std::string& name = statement.words[0].text;
    const CommandEntry* entry = find(name);
    if (!entry) co_return unknown_command(name, origin);
    co_return co_await run_command(*entry, statement, origin, result);
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

Task<int> Interpreter::run_command(const CommandEntry& entry, const Statement& statement,
                                   const std::string& origin, LineResult& result) {
    const std::string label = origin + std::string(entry.name);
    std::unique_ptr<Command> command = entry.make();
    const std::unique_ptr<CLI::App> app = declare_options(*command, entry);
    const Result<bool> help = read_options(*app, words_after_name(statement));
    if (!help) {
        console_.say(label + ": " + help.error().message());
        co_return status_usage;
    }
    if (*help) command = std::make_unique<ShowHelp>(app->help());
    const Executor executor = co_await asio::this_coro::executor;
    Result<StatementStreams> streams = StatementStreams::open(executor, statement);
    if (!streams) {
        console_.say(label + ": " + streams.error().message());
        co_return 1;
    }
    const bool own_output = streams->out() == nullptr;
    InvocationParts parts{session_, seat_, console_, interrupts_, commands_, statement, *streams, label};
    Invocation invocation(std::move(parts));
    const int status = co_await invocation.run_command(*command);
    const Result<int> finished = co_await streams->finish();
    result.quit = invocation.quits();
    result.quit_status = invocation.quit_status();
    result.interrupted = invocation.interrupted();
    result.reader_left = invocation.reader_left() && own_output;
    if (!finished) {
        console_.say(label + ": " + finished.error().message());
        co_return 1;
    }
    // As with sh's pipefail; a program that reads only what it wants is no failure of the command.
    if (*finished != 0 || (invocation.reader_left() && !own_output)) co_return *finished;
    co_return status;
}

// Ctrl-C reaches the program by itself.
Task<int> Interpreter::run_local(const Statement& statement, const std::string& origin) {
    const Executor executor = co_await asio::this_coro::executor;
    Result<LocalProgram> program = LocalProgram::start(executor, statement.local, local_input_);
    if (!program) {
        console_.say(origin + program.error().message());
        co_return 1;
    }
    auto previous = interrupts_.handle({});
    const int status = co_await program->wait();
    interrupts_.handle(std::move(previous));
    co_return status;
}

}  // namespace trellis
