// The first process of an emulated host: makes its file systems, writes its files, starts its sshd and then
// collects what ends. When it dies, the kernel kills everything else on the host and takes the mounts down.
// Runs in the host's own network, UTS, PID, IPC and mount namespaces, forked from the daemon; it never
// touches another host.
#pragma once

#include "tests/lab/host_files.hpp"

#include <cstdint>
#include <sched.h>
#include <string>
#include <sys/resource.h>
#include <vector>

namespace trellis::lab {

struct HostPlan {
    std::string name;
    std::vector<HostFile> files;
    std::vector<std::string> visible;  // directories of the machine that stay visible below private mounts
    std::uint64_t tmp_size = 0;        // bytes of each private file system
    bool huge_pages = false;           // for large files there
    bool writable = false;             // may write to the machine's file systems
    cpu_set_t cpus;
    rlimit open_files;
};

// Never returns. Writes to the descriptor: "ready" once sshd listens, or the reason why it never will.
[[noreturn]] void run_host(const HostPlan& plan, int report);

}  // namespace trellis::lab
