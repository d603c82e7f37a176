// JoinedProgram: a local program of which some descriptors are pipes to us. Owned by the command that runs
// it; dropping a pipe's end is the end of it for the program.
#pragma once

#include "trellis/result.hpp"
#include "trellis/task.hpp"

#include "shell/running/local_program.hpp"
#include "shell/running/sink.hpp"
#include "shell/running/source.hpp"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace trellis {

struct JoinedProgram {
    LocalProgram program;
    std::map<int, std::unique_ptr<Sink>> inputs;     // by the program's descriptor
    std::map<int, std::unique_ptr<Source>> outputs;  // the same
};

// `inputs`, `outputs`: descriptors that the program reads from us, and writes to us; all different.
// `standard_input`: what else it reads, as of the Interpreter. Unavailable if it cannot be started.
[[nodiscard]] Result<JoinedProgram> start_joined_program(const Executor& executor, const std::string& command,
                                                         const std::vector<int>& inputs,
                                                         const std::vector<int>& outputs, int standard_input);

}  // namespace trellis
