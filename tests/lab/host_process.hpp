// The hosts of a laboratory as the daemon sees them: each a network namespace with its cards, which stays,
// and a first process in it, which can be killed and started again. Owned by the daemon; one thread. Errors
// are thrown as LabError.
#pragma once

#include "tests/lab/host_init.hpp"
#include "tests/lab/unique_fd.hpp"

#include <functional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace trellis::lab {

class HostProcess {
  public:
    explicit HostProcess(HostPlan plan) : plan_(std::move(plan)) {}

    // Makes the network namespace; the callback runs inside it, to create the cards. The caller's own is left
    // for it.
    void make_network(const std::function<void()>& inside);

    // Forks the first process; await_ready() returns when its sshd listens and throws if it cannot.
    void start();
    void await_ready();

    // Kills every process of the host and waits until they are gone.
    void kill_all();
    void begin_kill();  // without waiting

    bool running() const { return static_cast<bool>(pidfd_); }
    pid_t pid() const { return pid_; }  // in the daemon's PID namespace
    int pidfd() const { return pidfd_.get(); }
    void ended() { pidfd_.reset(); }  // the first process was collected
    const std::string& name() const { return plan_.name; }

  private:
    HostPlan plan_;
    UniqueFd network_;
    UniqueFd pidfd_;
    UniqueFd report_;
    pid_t pid_ = 0;
};

}  // namespace trellis::lab
