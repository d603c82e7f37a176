// Keeps processors from sleeping while packets are about: a thread of the lowest priority on each, which
// anything else displaces at once. A processor that sleeps takes microseconds to wake, on a virtual machine
// some ten, and how often that happens would depend on how many hosts are busy.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <sched.h>
#include <thread>
#include <vector>

namespace trellis::lab {

class WakefulProcessors {
  public:
    // `while_busy`: for how long after a packet there may be another.
    WakefulProcessors(const cpu_set_t& processors, std::chrono::nanoseconds while_busy);
    ~WakefulProcessors();
    WakefulProcessors(const WakefulProcessors&) = delete;
    WakefulProcessors& operator=(const WakefulProcessors&) = delete;

    // A packet has come, at this time of the monotonic clock.
    void touch(std::int64_t now_ns);

  private:
    void stay_awake(int processor);

    std::int64_t busy_ns_;
    std::atomic<std::int64_t> until_ns_{0};
    std::atomic<bool> awake_{false};
    std::atomic<bool> ended_{false};
    std::vector<std::thread> threads_;
};

}  // namespace trellis::lab
