#include "tests/lab/wakeful_processors.hpp"

#include "tests/lab/monotonic.hpp"
#include "tests/lab/unique_fd.hpp"

#include <csignal>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace trellis::lab {
namespace {

const std::string idle_group = "/sys/fs/cgroup/cpu/trellis-lab-idle";

void write_to(const std::string& file, char digit) {
    const UniqueFd fd(open(file.c_str(), O_WRONLY | O_CLOEXEC));
    [[maybe_unused]] const ssize_t written = fd ? write(fd.get(), &digit, 1) : 0;
}

// The lowest priority counts inside a session only, as the kernel weighs sessions against each other: those
// of the hosts would wait for a tick of 4 ms. A group that is idle as a whole gives way to all. Where there
// are no such groups it stays as it is.
void join_idle_group() {
    mkdir(idle_group.c_str(), 0755);
    write_to(idle_group + "/cpu.idle", '1');
    write_to(idle_group + "/tasks", '0');  // the calling thread
}

}  // namespace

WakefulProcessors::WakefulProcessors(const cpu_set_t& processors, std::chrono::nanoseconds while_busy)
    : busy_ns_(while_busy.count()) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (int processor = 0; processor < CPU_SETSIZE; ++processor) {
        if (CPU_ISSET(processor, &processors))
            threads_.emplace_back([this, processor] { stay_awake(processor); });
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

WakefulProcessors::~WakefulProcessors() {
    ended_ = true;
    awake_ = true;
    awake_.notify_all();
    for (std::thread& thread : threads_)
        thread.join();
    rmdir(idle_group.c_str());  // fails while another laboratory is in it
}

void WakefulProcessors::touch(std::int64_t now_ns) {
    until_ns_.store(now_ns + busy_ns_, std::memory_order_relaxed);
    if (awake_.load(std::memory_order_relaxed)) return;
    awake_ = true;
    awake_.notify_all();
}

void WakefulProcessors::stay_awake(int processor) {
    cpu_set_t here;
    CPU_ZERO(&here);
    CPU_SET(processor, &here);
    sched_setaffinity(0, sizeof here, &here);
    sched_param lowest{};
    sched_setscheduler(0, SCHED_IDLE, &lowest);
    join_idle_group();
    while (!ended_) {
        awake_.wait(false);
        while (!ended_ && monotonic_ns() < until_ns_.load(std::memory_order_relaxed)) {
        }
        awake_ = false;
    }
}

}  // namespace trellis::lab
