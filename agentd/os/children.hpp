// Children: starts child processes and learns when they end. One per process that needs it, owned by main.cpp
// (through Processes or a Spawner); all Child objects must be destroyed before it. It waits for no process
// but those that it has started.
#pragma once

#include "trellis/process.hpp"

#include "agentd/os/file_descriptor.hpp"

#include <map>
#include <memory>
#include <string>
#include <sys/types.h>
#include <vector>

namespace trellis {

struct ChildSpec {
    ProcessSpec process;  // here only what is run, where, and with which variables
    int input = -1;       // what becomes 0, 1, 2 of the child; -1: /dev/null
    int output = -1;
    int error = -1;
    // What becomes the child's descriptor of that number, from 3 on; each at least most_descriptors here, so
    // that none takes another's place.
    std::map<int, int> further;
    std::string
        terminal;  // the file of a terminal that becomes 0, 1 and 2 and controls the child; empty: none
};

// One child, leader of a session of its own. Destroying it kills the whole process group.
class Child {
  public:
    virtual ~Child() = default;
    // Returns when the child has ended, as often as asked.
    virtual Task<ExitStatus> wait() = 0;
    // To the whole process group.
    virtual void signal(int number) = 0;
    // From now on destroying this object lets the child live; it ends by itself.
    virtual void disown() = 0;
};

class Children {
  public:
    explicit Children(const Executor& executor);
    ~Children();
    // The child has no open files but those of the specification, default signal handling and an empty signal
    // mask. Failure of kind cannot_start: no such directory, no such program, no permission, no resources.
    Result<std::unique_ptr<Child>> start(const ChildSpec& spec);

    struct State;

  private:
    std::shared_ptr<State> state_;
};

}  // namespace trellis
