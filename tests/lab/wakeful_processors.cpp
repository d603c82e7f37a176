#include "tests/lab/wakeful_processors.hpp"

#include "tests/lab/monotonic.hpp"

#include <csignal>

namespace trellis::lab {

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
    while (!ended_) {
        awake_.wait(false);
        while (!ended_ && monotonic_ns() < until_ns_.load(std::memory_order_relaxed)) {
        }
        awake_ = false;
    }
}

}  // namespace trellis::lab
