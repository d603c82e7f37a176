// A program on the machine where the user sits, run by /bin/sh -c in the shell's own process group, so that
// Ctrl-C and Ctrl-Z at the terminal reach it. Owned by the statement that runs it. Never kills it: a reader
// at the end of a pipe may have more to do than the command that feeds it.
#pragma once

#include "trellis/result.hpp"
#include "trellis/task.hpp"

#include <string>

#include <boost/asio/posix/stream_descriptor.hpp>

namespace trellis {

class LocalProgram {
  public:
    // `input`, `output`: descriptors to be its standard input and output; -1: the shell's own. They stay
    // open here. Unavailable if it cannot be started.
    [[nodiscard]] static Result<LocalProgram> start(const Executor& executor, const std::string& command,
                                                    int input, int output = -1);
    // Its exit status as sh gives it: 128 + the number if a signal ended it. Called once.
    Task<int> wait();

  private:
    LocalProgram(const Executor& executor, int pid, int pid_descriptor);

    int pid_;
    asio::posix::stream_descriptor ended_;
};

}  // namespace trellis
