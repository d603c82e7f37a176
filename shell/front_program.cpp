#include "shell/front_program.hpp"

#include "shell/language/direct_command.hpp"
#include "shell/running/script.hpp"
#include "shell/session/value_types.hpp"
#include "shell/terminal/interactive.hpp"
#include "shell/terminal/terminal.hpp"

#include <csignal>
#include <exception>
#include <fcntl.h>
#include <fstream>
#include <sstream>
#include <unistd.h>
#include <utility>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace trellis {
namespace {

constexpr Duration most_for_files = std::chrono::seconds(2);

}  // namespace

FrontProgram::FrontProgram(asio::io_context& io, Clock& clock, FileStore& files, std::int64_t (*unix_time)(),
                           Home& home, const Options& options, const Times& times,
                           std::vector<CommandEntry> commands)
    : io_(io),
      executor_(io.get_executor()),
      home_(home),
      options_(options),
      session_(home.cluster(), clock, unix_time, value_types()),
      console_(executor_, STDOUT_FILENO, STDERR_FILENO),
      no_input_(options.has_commands || !options.words.empty() ? -1
                                                               : ::open("/dev/null", O_RDONLY | O_CLOEXEC)),
      interpreter_(session_, seat_, console_, interrupts_, std::move(commands),
                   ::isatty(STDIN_FILENO) ? -1 : no_input_),
      end_signals_(executor_, SIGTERM, SIGHUP) {
    session_.set_files(files);
    session_.login_timeout = times.login_timeout;
    session_.rules().forward_agent_everywhere(options.forward_agent);
}

Task<int> FrontProgram::front_end() {
    FrontEndParts parts{session_, seat_, interpreter_, console_, [this] { end(1); }};
    interrupts_.handle([this] { end(128 + SIGINT); });  // while no command is in charge
    const bool entered = co_await home_.enter(std::move(parts));
    if (!entered) co_return 1;
    if (options_.has_commands) co_return co_await run_lines(text_lines(options_.commands), "-c");
    if (!options_.words.empty()) co_return co_await run_words();
    if (::isatty(STDIN_FILENO)) co_return co_await run_terminal();
    co_return co_await run_lines(descriptor_lines(executor_, STDIN_FILENO), "standard input");
}

// A command, or the name of a script: without a session that stays up, one word alone is a script.
Task<int> FrontProgram::run_words() {
    const std::vector<CommandEntry>& commands = interpreter_.commands();
    const bool may_be_command = !options_.session.empty() || options_.words.size() > 1;
    if (may_be_command && names_command(options_.words, commands))
        co_return co_await run_lines(text_lines(direct_line(options_.words, commands)), "");
    if (options_.words.size() == 1) co_return co_await run_script_file(options_.words[0]);
    console_.say("trellis: unknown command " + options_.words[0] + "; see help");
    co_return 127;
}

Task<int> FrontProgram::run_lines(std::unique_ptr<LineSource> lines, std::string name) {
    ScriptSettings settings;
    settings.name = std::move(name);
    settings.stop_on_error = options_.stop_on_error;
    co_return co_await run_script(interpreter_, *lines, console_, seat_, news_, std::move(settings));
}

Task<int> FrontProgram::run_script_file(const std::string& path) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    if (!file) {
        const bool may_be_command = !options_.session.empty();
        console_.say("trellis: " + path + ": cannot be read" + (may_be_command ? ", and is no command" : ""));
        co_return 2;
    }
    co_return co_await run_lines(text_lines(text.str()), path);
}

Task<int> FrontProgram::run_terminal() {
    interrupts_.handle({});
    Terminal terminal(executor_, console_, interrupts_, options_.no_history ? "" : default_history_file());
    const int status = co_await run_interactive(interpreter_, terminal, console_, session_, seat_, news_);
    if (const std::string farewell = home_.farewell(); !farewell.empty()) console_.say(farewell);
    co_return status;
}

void FrontProgram::end(int status) {
    if (!end_status_) end_status_ = status;
    end_.emit(asio::cancellation_type::terminal);
}

// What the front end holds (the terminal, files, programs) is given back before the session ends.
void FrontProgram::end_on_signals() {
    end_signals_.async_wait([this](const boost::system::error_code& error, int number) {
        if (error) return;
        end_status_ = 128 + number;
        end(128 + number);
    });
}

// What was interrupted removes what it has half written, if files answer.
Task<void> FrontProgram::files_to_end() {
    const TimePoint begun = session_.clock().now();
    while (session_.files().busy() && session_.clock().now() - begun < most_for_files)
        co_await session_.clock().sleep(std::chrono::milliseconds(20));
}

Task<int> FrontProgram::run_and_leave() {
    int status = 1;
    end_on_signals();
    auto running = asio::co_spawn(executor_, front_end(),
                                  asio::bind_cancellation_slot(end_.slot(), asio::use_awaitable));
    try {
        status = co_await std::move(running);
    } catch (const std::exception&) {  // what is cancelled ends with one, or with several at once
        if (!end_status_) throw;
    }
    co_await interpreter_.jobs().end_all();
    co_await home_.leave();
    co_await files_to_end();
    co_return end_status_.value_or(status);
}

int FrontProgram::run() {
    int status = 1;
    asio::co_spawn(executor_, run_and_leave(), [&](const std::exception_ptr& error, int ended) {
        status = ended;
        io_.stop();
        if (error) std::rethrow_exception(error);
    });
    io_.run();
    return status;
}

}  // namespace trellis
