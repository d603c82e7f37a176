// What the command line of trellis says, and the environment in its place. Values, read once by main.cpp.
#pragma once

#include "trellis/time.hpp"

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace trellis {

struct Options {
    std::string commands;  // of -c
    bool has_commands = false;
    std::vector<std::string> words;  // the rest: a script, a command of the session, or about sessions
    bool stop_on_error = false;
    bool no_history = false;
    bool forward_agent = false;
    std::string login_timeout = "15s";
    std::string lease = "30s";
    std::string idle = "8h";
    std::string agent_directory;
    std::string agent_file;
    std::string ssh_config;
    std::string session;  // empty: one of its own, which ends with this process
    std::string seat = "main";
};

// The durations among them.
struct Times {
    Duration login_timeout{};
    Duration lease{};
    Duration idle{};
};

struct CommandLine {
    Options options;
    Times times;
};

// The exit status instead, if there is nothing more to do: help was asked for, or something is wrong; then it
// has been said.
[[nodiscard]] std::variant<CommandLine, int> read_command_line(int argc, char** argv, const char* version);

// The arguments with which the process that holds the session is to run.
[[nodiscard]] std::vector<std::string> holder_arguments(const Options& options);

// To standard error; returns the status.
int complain(const std::string& cause, int status);

}  // namespace trellis
