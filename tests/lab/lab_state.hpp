// What is on disk about a running laboratory: /run/trellis-lab/NAME with its process, its control socket, its
// log and the file it was made from. All mounts and namespaces belong to the process and go with it, so that
// removing this directory is all that a crash leaves to do. Errors are thrown as LabError.
#pragma once

#include "tests/lab/unique_fd.hpp"

#include <optional>
#include <string>
#include <sys/types.h>

namespace trellis::lab {

class LabState {
  public:
    // Names are letters, digits, '-', '_' and '.'.
    explicit LabState(const std::string& name);

    const std::string& directory() const { return directory_; }
    std::string file(const std::string& name) const { return directory_ + "/" + name; }
    std::string control() const { return file("control"); }

    // Makes the directory. A laboratory that still runs is an error; what a crashed one left is removed
    // first.
    void create();
    void remove();

    void record_process(pid_t pid);
    // A descriptor of the laboratory's process; nothing if it does not run (any more).
    std::optional<UniqueFd> process() const;

  private:
    std::string name_;
    std::string directory_;
};

// Waits until a process has ended; false if it has not after that many milliseconds (negative: for ever).
bool await_end(int pidfd, int milliseconds);

}  // namespace trellis::lab
