// A program on the machine where the user sits, run by /bin/sh -c: in the foreground in the shell's own
// process group, so that Ctrl-C at the terminal reaches it, in the background in one of its own. Owned by the
// statement that runs it. Does not kill it by itself: a reader at the end of a pipe may have more to do than
// the command that feeds it.
#pragma once

#include "trellis/result.hpp"
#include "trellis/task.hpp"

#include <map>
#include <string>

#include <boost/asio/posix/stream_descriptor.hpp>

namespace trellis {

class LocalProgram {
  public:
    enum class Place { foreground, background };
    // `input`, `output`: descriptors to be its standard input and output; -1: the shell's own. They stay
    // open here. Unavailable if it cannot be started.
    [[nodiscard]] static Result<LocalProgram> start(const Executor& executor, const std::string& command,
                                                    int input, int output = -1,
                                                    Place place = Place::foreground);
    // `descriptors`: what becomes its descriptor of that number; each at least most_descriptors here unless
    // it is to keep its number.
    [[nodiscard]] static Result<LocalProgram> start(const Executor& executor, const std::string& command,
                                                    const std::map<int, int>& descriptors,
                                                    Place place = Place::foreground);
    // Its exit status as sh gives it: 128 + the number if a signal ended it. Called once.
    Task<int> wait();
    // To all of its processes. In the foreground only the terminal does that.
    void signal(int number) const;

  private:
    LocalProgram(const Executor& executor, Place place, int pid, int pid_descriptor);

    Place place_;
    int pid_;  // 0 when it has ended
    asio::posix::stream_descriptor ended_;
};

}  // namespace trellis
