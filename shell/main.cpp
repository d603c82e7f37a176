// trellis: the program that a user starts. Options and wiring only. See trellis(1).
#include "trellis/plugin.hpp"

#include "agentd/core/pair_key.hpp"
#include "agentd/core/root.hpp"
#include "agentd/model/topology_value.hpp"
#include "agentd/os/os_processes.hpp"
#include "agentd/os/os_spawner.hpp"
#include "agentd/os/steady_clock.hpp"
#include "agentd/os/tcp_dialer.hpp"
#include "agentd/os/tcp_prober.hpp"
#include "agentd/os/tls_network.hpp"
#include "agentd/os/user_authority.hpp"
#include "shell/duration_text.hpp"
#include "shell/host_values.hpp"
#include "shell/interactive.hpp"
#include "shell/root_cluster.hpp"
#include "shell/script.hpp"
#include "shell/shell_context.hpp"
#include "shell/terminal.hpp"

#include <csignal>
#include <ctime>
#include <fcntl.h>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

namespace trellis {
namespace {

struct Options {
    std::string commands;  // of -c
    bool has_commands = false;
    std::string script;  // a file's name; empty: standard input
    bool stop_on_error = false;
    bool no_history = false;
    bool forward_agent = false;
    std::string login_timeout = "15s";
    std::string lease = "30s";
    std::string agent_directory;
    std::string agent_file;
    std::string ssh_config;
};

// The whole program once the options are read; members in the order of who needs whom.
class Program {
  public:
    explicit Program(const Options& options, Duration login_timeout, Duration lease);
    int run();

  private:
    Task<int> front_end();
    Task<int> run_lines(std::unique_ptr<LineSource> lines, std::string name);
    Task<int> run_terminal();
    Task<int> run_and_leave();
    void end_on_signals();
    static std::vector<CommandEntry> all_commands();
    static TreeSettings tree_settings(Duration lease);
    static std::vector<std::string> ssh_options(const Options& options);

    Options options_;
    asio::io_context io_{1};
    Executor executor_ = io_.get_executor();
    SteadyClock clock_;
    OsProcesses processes_{executor_};
    std::shared_ptr<const SessionKey> key_ = std::make_shared<const SessionKey>();
    TcpProber prober_{executor_, key_, {}};
    TlsNetwork network_{executor_, key_, {}};
    TcpDialer dialer_{executor_};
    OsSpawner spawner_;
    UserAuthority authority_;
    Root root_;
    RootCluster cluster_;
    Session session_;
    Seat seat_{session_};
    HostNews news_;
    Console console_{executor_, STDOUT_FILENO, STDERR_FILENO};
    Interrupts interrupts_{executor_};
    int no_input_;  // what local programs of -c read is the shell's own; of a script on standard input,
                    // nothing
    Interpreter interpreter_;
    asio::signal_set end_signals_{executor_, SIGTERM, SIGHUP};
    asio::cancellation_signal end_;
    int end_signal_ = 0;
};

TreeSettings Program::tree_settings(Duration lease) {
    TreeSettings settings;
    settings.lease = lease;
    return settings;
}

std::vector<std::string> Program::ssh_options(const Options& options) {
    if (options.ssh_config.empty()) return {};
    return {"-F", options.ssh_config};
}

std::vector<CommandEntry> Program::all_commands() {
    std::vector<CommandEntry> commands = builtin_commands();
    for (const CommandEntry& entry : plugin_commands())
        commands.push_back(entry);
    return commands;
}

Program::Program(const Options& options, Duration login_timeout, Duration lease)
    : options_(options),
      spawner_(executor_, options.agent_file.empty() ? agent_beside_this_program() : options.agent_file, true,
               ssh_options(options)),
      authority_(executor_, processes_, ssh_options(options)),
      root_({executor_, clock_, processes_, prober_, network_, spawner_, dialer_}, tree_settings(lease),
            authority_, [this](std::string target) { return authority_.settings(std::move(target)); }),
      cluster_(root_, options.agent_directory),
      session_(cluster_, clock_, [] { return static_cast<std::int64_t>(std::time(nullptr)); },
               {{HostsValue::type_name, HostsValue::from_json},
                {SelectionValue::type_name, SelectionValue::from_json},
                {TopologyValue::type_name, TopologyValue::from_json}}),
      no_input_(options.has_commands || !options.script.empty() ? -1
                                                                : open("/dev/null", O_RDONLY | O_CLOEXEC)),
      interpreter_(session_, seat_, console_, interrupts_, all_commands(),
                   isatty(STDIN_FILENO) ? -1 : no_input_) {
    session_.login_timeout = login_timeout;
    session_.rules().forward_agent_everywhere(options.forward_agent);
    root_.on_note(
        [this](const std::string& host, const std::string& text) { console_.say(host + ": " + text); });
}

Task<int> Program::run_lines(std::unique_ptr<LineSource> lines, std::string name) {
    ScriptSettings settings;
    settings.name = std::move(name);
    settings.stop_on_error = options_.stop_on_error;
    co_return co_await run_script(interpreter_, *lines, console_, seat_, news_, std::move(settings));
}

Task<int> Program::run_terminal() {
    Terminal terminal(executor_, console_, interrupts_, options_.no_history ? "" : default_history_file());
    co_return co_await run_interactive(interpreter_, terminal, console_, session_, seat_, news_);
}

Task<int> Program::front_end() {
    if (options_.has_commands) co_return co_await run_lines(text_lines(options_.commands), "-c");
    if (!options_.script.empty()) {
        std::ifstream file(options_.script);
        std::ostringstream text;
        text << file.rdbuf();
        if (!file) {
            console_.say("trellis: " + options_.script + ": cannot be read");
            co_return 2;
        }
        co_return co_await run_lines(text_lines(text.str()), options_.script);
    }
    if (isatty(STDIN_FILENO)) co_return co_await run_terminal();
    co_return co_await run_lines(descriptor_lines(executor_, STDIN_FILENO), "standard input");
}

// What the front end holds (the terminal, files, programs) is given back before the session ends.
void Program::end_on_signals() {
    end_signals_.async_wait([this](const boost::system::error_code& error, int number) {
        if (error) return;
        end_signal_ = number;
        end_.emit(asio::cancellation_type::terminal);
    });
}

Task<int> Program::run_and_leave() {
    int status = 1;
    end_on_signals();
    auto running = asio::co_spawn(executor_, front_end(),
                                  asio::bind_cancellation_slot(end_.slot(), asio::use_awaitable));
    try {
        status = co_await std::move(running);
    } catch (const boost::system::system_error&) {
        if (end_signal_ == 0) throw;
    }
    co_await root_.leave(std::chrono::seconds(2));
    co_return end_signal_ == 0 ? status : 128 + end_signal_;
}

int Program::run() {
    int status = 1;
    asio::co_spawn(executor_, run_and_leave(), [&](const std::exception_ptr& error, int ended) {
        status = ended;
        io_.stop();
        if (error) std::rethrow_exception(error);
    });
    io_.run();
    return status;
}

// Empty if the text is no duration.
std::optional<Duration> read_duration(const std::string& text, const char* option) {
    const auto duration = parse_duration(text);
    if (duration) return *duration;
    std::cerr << "trellis: " << option << ": " << duration.error().cause << '\n';
    return std::nullopt;
}

void declare(CLI::App& app, Options& options) {
    app.set_version_flag("--version", "trellis " TRELLIS_VERSION);
    app.add_option("-c", options.commands, "run these commands and end")->type_name("COMMANDS");
    app.add_option("script", options.script, "run the commands of this file and end")->type_name("FILE");
    app.add_flag("-e,--errexit", options.stop_on_error, "end a script at the first command that fails");
    app.add_option("--timeout", options.login_timeout, "of each login (default 15s)")->type_name("DURATION");
    app.add_option("--lease", options.lease, "how long a silent host is waited for (default 30s)")
        ->type_name("DURATION");
    app.add_option("--agent-directory", options.agent_directory, "where agents are kept on the hosts")
        ->type_name("DIRECTORY");
    app.add_option("--agent", options.agent_file, "the agent's file (default: the installed one)")
        ->type_name("FILE");
    app.add_flag("--forward-agent", options.forward_agent,
                 "logins made by agents may use signatures of the ssh-agent here");
    app.add_option("-F", options.ssh_config, "ssh's configuration file instead of the user's")
        ->type_name("FILE");
    app.add_flag("--no-history", options.no_history, "keep no history of the lines typed");
}

int start(int argc, char** argv) {
    Options options;
    CLI::App app{
        "An interactive shell for grids and clusters. Without arguments: a session at the terminal, or the "
        "commands of standard input.",
        "trellis"};
    declare(app, options);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 2;
    }
    options.has_commands = app.count("-c") > 0;
    const auto login_timeout = read_duration(options.login_timeout, "--timeout");
    const auto lease = read_duration(options.lease, "--lease");
    if (!login_timeout || !lease) return 2;
    std::signal(SIGPIPE, SIG_IGN);
    return Program(options, *login_timeout, *lease).run();
}

}  // namespace
}  // namespace trellis

int main(int argc, char** argv) {
    return trellis::start(argc, argv);
}
