// Jobs: the jobs of one front end: the one in the foreground, to which it gives Ctrl-C and Ctrl-Z, and those
// that run in the background or are suspended. Owned by the interpreter. It tells of them only when it is
// asked.
#pragma once

#include "trellis/clock.hpp"
#include "trellis/result.hpp"

#include "shell/running/interrupts.hpp"
#include "shell/running/job.hpp"
#include "shell/terminal/console.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace trellis {

class Jobs {
  public:
    using Pointer = std::shared_ptr<Job>;

    Jobs(Clock& clock, Console& console, Interrupts& interrupts)
        : clock_(clock), console_(console), interrupts_(interrupts) {}

    // One that has just been started.
    void add(const Pointer& job);
    // Waits while it is in the foreground, and forgets it if it has ended then.
    Task<void> attend(Pointer job);
    void forget(const Job& job);

    // Those that have been in the background, by number.
    [[nodiscard]] std::vector<Pointer> numbered() const;
    // By %N or N; the last one that was suspended, or else the last one, by an empty name, % or %%.
    [[nodiscard]] Result<Pointer> find(std::string name) const;
    // A line for each that has come to the background, was suspended or continued, or has ended since the
    // last call. Those that have ended are forgotten.
    [[nodiscard]] std::vector<std::string> take_news();
    // Ends all that still run, and tells of those in the background: asked first, killed soon after.
    Task<void> end_all();

  private:
    struct Entry {
        Pointer job;
        std::optional<Job::State> told;
    };
    class Keys;

    void number(Job& job);
    Task<void> wait_for_all(Duration most);

    Clock& clock_;
    Console& console_;
    Interrupts& interrupts_;
    std::vector<Entry> jobs_;
};

// "[1] running (3 of 4 hosts)  e sleep 10"
[[nodiscard]] std::string job_line(const Job& job);
// "running", "suspended", "done" (on some hosts it may have failed), "failed" (here), "killed".
[[nodiscard]] std::string job_state(const Job& job);

}  // namespace trellis
