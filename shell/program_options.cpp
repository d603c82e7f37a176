#include "shell/program_options.hpp"

#include "shell/language/duration_text.hpp"

#include <filesystem>
#include <iostream>

#include <CLI/CLI.hpp>

namespace trellis {
namespace {

// Empty if the text is no duration.
std::optional<Duration> read_duration(const std::string& text, const char* option) {
    const auto duration = parse_duration(text);
    if (duration) return *duration;
    std::cerr << "trellis: " << option << ": " << duration.error().cause << '\n';
    return std::nullopt;
}

void declare(CLI::App& app, Options& options, const char* version) {
    app.set_version_flag("--version", std::string("trellis ") + version);
    app.add_option("-c", options.commands, "run these commands and end")->type_name("COMMANDS");
    app.prefix_command();
    app.footer(
        "Then: nothing (a session at the terminal, or the commands of standard input), the FILE of a "
        "script,\n"
        "a COMMAND with its arguments (with --session also without), or: session list, session end [NAME],\n"
        "or gxpc and what users of GXP write after it.");
    app.add_option("--session", options.session,
                   "work in the session of this name, which stays up; it is started if it does not run")
        ->type_name("NAME")
        ->envname("TRELLIS_SESSION");
    app.add_option("--seat", options.seat,
                   "whose selection, directory and variables to use in that session (default main)")
        ->type_name("NAME")
        ->envname("TRELLIS_SEAT");
    app.add_option("--idle", options.idle, "a session that nobody uses ends after this time (default 8h)")
        ->type_name("DURATION");
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

std::string absolute(const std::string& path) {
    return path.empty() ? path : std::filesystem::absolute(path).string();
}

}  // namespace

int complain(const std::string& cause, int status) {
    std::cerr << "trellis: " << cause << '\n';
    return status;
}

std::variant<CommandLine, int> read_command_line(int argc, char** argv, const char* version) {
    Options options;
    CLI::App app{
        "An interactive shell for grids and clusters. Without arguments: a session at the terminal, or the "
        "commands of standard input.",
        "trellis"};
    declare(app, options, version);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 2;
    }
    options.has_commands = app.count("-c") > 0;
    options.words = app.remaining();
    if (!options.words.empty() && options.words[0].starts_with("-"))
        return complain("unknown option " + options.words[0] + "; see trellis --help", 2);
    const auto login_timeout = read_duration(options.login_timeout, "--timeout");
    const auto lease = read_duration(options.lease, "--lease");
    const auto idle = read_duration(options.idle, "--idle");
    if (!login_timeout || !lease || !idle) return 2;
    return CommandLine{std::move(options), {*login_timeout, *lease, *idle}};
}

// The command line of the process that holds a session.
std::vector<std::string> holder_arguments(const Options& options) {
    std::vector<std::string> arguments{"--lease", options.lease, "--idle", options.idle};
    const auto add = [&](const char* option, const std::string& value) {
        if (!value.empty()) arguments.insert(arguments.end(), {option, value});
    };
    add("--agent-directory", options.agent_directory);
    add("--agent", absolute(options.agent_file));
    add("-F", absolute(options.ssh_config));
    if (options.forward_agent) arguments.emplace_back("--forward-agent");
    arguments.insert(arguments.end(), {"session", "hold", options.session});
    return arguments;
}

}  // namespace trellis
