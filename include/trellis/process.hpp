// Processes: the seam that starts commands on the host where this process runs.
// A Process is owned by the operation that started it; destroying it kills its whole process group.
#pragma once

#include "trellis/result.hpp"
#include "trellis/task.hpp"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace trellis {

struct ProcessSpec {
    std::vector<std::string> argv;           // argv[0] is searched in PATH
    std::string directory;                   // empty: where the agent was started
    std::map<std::string, std::string> env;  // added to the agent's own
};

struct ExitStatus {
    bool signalled = false;
    int code = 0;  // exit status, or the signal's number
};

class Process {
  public:
    enum class Output { out, err };
    virtual ~Process() = default;
    // At least one byte, or an empty string at the end. One reader for each output.
    virtual Task<std::string> read(Output output) = 0;
    // Returns when the process has ended; its outputs may still hold bytes.
    virtual Task<ExitStatus> wait() = 0;
    // To the whole process group.
    virtual void signal(int number) = 0;
};

class Processes {
  public:
    virtual ~Processes() = default;
    virtual Result<std::unique_ptr<Process>> start(const ProcessSpec& spec) = 0;
};

}  // namespace trellis
