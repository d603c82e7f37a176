// ProbeLoop: the thread on which all probing of a process happens, both measuring and answering, so that it
// neither waits for relaying nor holds it up. Owned jointly by the prober and its sessions; it sleeps while
// nothing is to be done and, where there are processors to spare, polls for a moment after each probe.
#pragma once

#include "trellis/time.hpp"

#include "agentd/os/file_descriptor.hpp"

#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <utility>
#include <vector>

namespace trellis {

class ProbeLoop {
  public:
    // What happens to a file or at a time. Owned by whoever watches; it unregisters itself on destruction.
    // Lives on the loop's thread alone.
    class Handler {
      public:
        explicit Handler(ProbeLoop& loop) : loop_(loop) {}
        virtual ~Handler();
        Handler(const Handler&) = delete;
        Handler& operator=(const Handler&) = delete;

      protected:
        virtual void ready() = 0;    // may come once more than needed
        virtual void expired() = 0;  // the time given to set_deadline() has come
        void watch(const FileDescriptor& file, bool for_writing);  // replaces an earlier one of that file
        void unwatch();                                            // before the file is closed
        void set_deadline(TimePoint when);                         // replaces an earlier one
        void clear_deadline();
        [[nodiscard]] ProbeLoop& loop() const { return loop_; }

      private:
        friend class ProbeLoop;
        ProbeLoop& loop_;
        int file_ = -1;
        std::optional<TimePoint> deadline_;
    };

    // `spin`: how long to poll after a probe before sleeping.
    explicit ProbeLoop(Duration spin);
    ~ProbeLoop();  // stops the thread; must not be called on it
    ProbeLoop(const ProbeLoop&) = delete;
    ProbeLoop& operator=(const ProbeLoop&) = delete;

    // Runs `work` on the loop's thread, in the order of posting. From any thread.
    void post(std::function<void()> work);
    // The same, and returns when it has run. Not from the loop's thread.
    void call(const std::function<void()>& work);

    // The process's monotonic clock.
    static TimePoint now();
    // A probe came or went: poll for a while. On the loop's thread.
    void touch(TimePoint when) { touched_ = when; }

  private:
    void run();
    [[nodiscard]] int wait_time() const;  // in ms, as for epoll_wait
    void dispatch(int file);
    void run_posted();
    void run_expired();

    Duration spin_;
    FileDescriptor epoll_;
    FileDescriptor wakeup_;
    std::vector<Handler*> handlers_;  // by file number
    std::set<std::pair<TimePoint, Handler*>> deadlines_;
    TimePoint touched_{};
    bool stopped_ = false;
    std::mutex mutex_;
    std::vector<std::function<void()>> posted_;  // guarded by mutex_
    std::thread thread_;
};

// Polling helps where it takes a processor from nobody.
Duration default_probe_spin();

}  // namespace trellis
