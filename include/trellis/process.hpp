// Processes: the seam that starts commands on the host where this process runs.
// A Process is owned by the operation that started it; destroying it kills its whole process group.
#pragma once

#include "trellis/result.hpp"
#include "trellis/task.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace trellis {

struct TerminalSize {
    std::uint16_t rows = 24;
    std::uint16_t columns = 80;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(rows, columns);
    }
};

// Descriptors of a process that can be joined to a stream: 0 <= number < most_descriptors.
inline constexpr int most_descriptors = 64;

struct ProcessSpec {
    std::vector<std::string> argv;           // argv[0] is searched in PATH
    std::string directory;                   // empty: where the agent was started
    std::map<std::string, std::string> env;  // added to the agent's own
    std::vector<std::int32_t> inputs;        // what write() feeds; without 0 the standard input is empty
    std::vector<std::int32_t> outputs;       // what read() gives besides 1 and 2
    // A pseudo-terminal of this size as 0, 1 and 2, fed through 0 and read through 1; no other descriptors.
    std::optional<TerminalSize> terminal;
};

struct ExitStatus {
    bool signalled = false;
    int code = 0;  // exit status, or the signal's number
};

class Process {
  public:
    enum Output : int { out = 1, err = 2 };  // its descriptors
    virtual ~Process() = default;
    // At least one byte, or an empty string at the end. One reader for each output.
    virtual Task<std::string> read(int output) = 0;
    // Returns when all bytes are accepted; a Failure when nobody reads them any more. One writer for each
    // input.
    virtual Task<Result<void>> write(int input, std::string bytes) = 0;
    // The end of an input; of an output that nobody reads it any more, which its writers learn (SIGPIPE).
    virtual void close(int descriptor) = 0;
    // Of the pseudo-terminal.
    virtual void resize(TerminalSize size) = 0;
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
