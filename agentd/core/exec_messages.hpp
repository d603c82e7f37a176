// The operation "exec": one command on each host. A stream has the number of the process's descriptor that it
// is joined to: 0 standard input, 1 standard output, 2 standard error, and others that are asked for. The
// root's messages hold signals for the command and news of what is joined to it. The result's outcome is the
// command's exit; its body an ExecOutput, or nothing.
#pragma once

#include "trellis/message.hpp"
#include "trellis/process.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace trellis {

// Where some of the hosts run it.
struct ExecPlace {
    std::string hosts;  // as HostSet::prefix_to("")
    std::string directory;
    std::map<std::string, std::string> env;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(hosts, directory, env);
    }
};

struct ExecRequest {
    std::string command;    // for /bin/sh -c
    std::string directory;  // empty: the home directory
    std::map<std::string, std::string> env;
    std::vector<std::int32_t> inputs;   // descriptors that the root feeds, each until it finishes the stream
    std::vector<std::int32_t> outputs;  // descriptors that the root reads besides 1 and 2
    std::optional<TerminalSize> terminal;  // run on a pseudo-terminal: all output is on stream 1
    std::vector<ExecPlace> places = {};    // of hosts for which the directory and variables are others
    // Standard output and error are kept for the result, which travels merged with equal ones, as long as
    // they are short.
    bool folded = false;
    // The ends of its streams are told as they come, not only by the result.
    [[nodiscard]] bool joined() const { return terminal || !inputs.empty() || !outputs.empty(); }
    template <class Archive>
    void serialize(Archive& archive) {
        archive(command, directory, env, inputs, outputs, terminal, places, folded);
    }
};

// What a folded command has printed and its streams have not brought: all of it, or the rest.
struct ExecOutput {
    std::string out;
    std::string err;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(out, err);
    }
};
// Bytes of both together that a host keeps; what is more goes by the streams.
inline constexpr std::size_t most_kept_output = std::size_t{64} << 10;

// Messages from the root while a command runs.
struct ExecControl {
    std::optional<TerminalSize> size;  // the window has this size now
    std::vector<std::int32_t> closed;  // outputs that nobody reads any more
    // For its whole process group, if not 0. One that asks it to end also continues it, should it be stopped.
    std::int32_t signal = 0;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(size, closed, signal);
    }
};

inline constexpr std::uint32_t exec_stdin = 0;
inline constexpr std::uint32_t exec_stdout = 1;
inline constexpr std::uint32_t exec_stderr = 2;

}  // namespace trellis
