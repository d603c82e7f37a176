// The operation "exec": one command on each host. Streams: 1 standard output, 2 standard error. The result's
// outcome is the command's exit.
#pragma once

#include "trellis/message.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace trellis {

struct ExecRequest {
    std::string command;    // for /bin/sh -c
    std::string directory;  // empty: the home directory
    std::map<std::string, std::string> env;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(command, directory, env);
    }
};

inline constexpr std::uint32_t exec_stdout = 1;
inline constexpr std::uint32_t exec_stderr = 2;

}  // namespace trellis
