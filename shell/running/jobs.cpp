#include "shell/running/jobs.hpp"

#include <algorithm>
#include <charconv>
#include <csignal>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/this_coro.hpp>

namespace trellis {
namespace {

// How long jobs may take to heed the request to end.
constexpr Duration time_to_end = std::chrono::seconds(2);

Task<void> notify_later(Jobs::Pointer job, Clock& clock, Duration delay) {
    co_await clock.sleep(delay);
    job->changed().notify();
}

Failure no_job(const std::string& cause) {
    return invalid(cause);
}

}  // namespace

// While it lives, the keys go to a job.
class Jobs::Keys {
  public:
    Keys(Jobs& jobs, const Pointer& job)
        : interrupts_(jobs.interrupts_),
          interrupt_(interrupts_.handle([&console = jobs.console_, job] {
              if (job->heeds_interrupt()) end_line(console);
              job->press_interrupt();
          })),
          suspend_(interrupts_.handle_suspend([&console = jobs.console_, job] {
              if (job->heeds_suspend()) end_line(console);
              job->press_suspend();
          })) {}
    ~Keys() {
        interrupts_.handle(std::move(interrupt_));
        interrupts_.handle_suspend(std::move(suspend_));
    }
    Keys(const Keys&) = delete;
    Keys& operator=(const Keys&) = delete;

  private:
    // After the ^C or ^Z that the terminal shows.
    static void end_line(Console& console) {
        if (console.err().terminal()) console.err().write_now("\n");
    }

    Interrupts& interrupts_;
    std::function<void()> interrupt_;
    std::function<void()> suspend_;
};

void Jobs::add(const Pointer& job) {
    jobs_.push_back({job, std::nullopt});
    if (!job->foreground()) number(*job);
}

void Jobs::number(Job& job) {
    if (job.number > 0) return;
    for (const Entry& other : jobs_)
        job.number = std::max(job.number, other.job->number);
    ++job.number;
}

Task<void> Jobs::attend(Pointer job) {
    const Keys keys(*this, job);
    co_await Job::while_in_foreground(job);
    if (job->ended())
        forget(*job);
    else
        number(*job);
}

void Jobs::forget(const Job& job) {
    std::erase_if(jobs_, [&](const Entry& entry) { return entry.job.get() == &job; });
}

std::vector<Jobs::Pointer> Jobs::numbered() const {
    std::vector<Pointer> jobs;
    for (const Entry& entry : jobs_)
        if (entry.job->number > 0) jobs.push_back(entry.job);
    std::sort(jobs.begin(), jobs.end(),
              [](const Pointer& a, const Pointer& b) { return a->number < b->number; });
    return jobs;
}

Result<Jobs::Pointer> Jobs::find(std::string name) const {
    const std::string written = name;
    if (name.starts_with('%')) name.erase(0, 1);
    const std::vector<Pointer> jobs = numbered();
    if (jobs.empty()) return no_job("there are no jobs");
    if (name.empty() || name == "%" || name == "+") {
        const auto suspended = std::find_if(jobs.rbegin(), jobs.rend(), [](const Pointer& job) {
            return job->state() == Job::State::suspended;
        });
        return suspended == jobs.rend() ? jobs.back() : *suspended;
    }
    int number = 0;
    const auto read = std::from_chars(name.data(), name.data() + name.size(), number);
    if (read.ec != std::errc() || read.ptr != name.data() + name.size())
        return no_job("expected the number of a job, like %1, not '" + written + "'");
    for (const Pointer& job : jobs)
        if (job->number == number) return job;
    return no_job("no job has the number " + std::to_string(number) + " (see jobs)");
}

std::vector<std::string> Jobs::take_news() {
    std::vector<std::string> lines;
    for (Entry& entry : jobs_) {
        const Job& job = *entry.job;
        if (job.number == 0 || entry.told == job.state()) continue;
        entry.told = job.state();
        lines.push_back(job_line(job));
    }
    std::erase_if(jobs_, [](const Entry& entry) { return entry.told == Job::State::ended; });
    return lines;
}

Task<void> Jobs::end_all() {
    for (const Entry& entry : jobs_) {
        if (entry.job->ended()) continue;
        if (entry.job->number > 0) console_.say("ending " + job_line(*entry.job));
        if (entry.job->number == 0 || !entry.job->signal(SIGTERM)) entry.job->abandon();
    }
    co_await wait_for_all(time_to_end);
    for (const Entry& entry : jobs_)
        if (!entry.job->ended()) entry.job->abandon();
    co_await wait_for_all(time_to_end);
    jobs_.clear();
}

Task<void> Jobs::wait_for_all(Duration most) {
    const Executor executor = co_await asio::this_coro::executor;
    const TimePoint until = clock_.now() + most;
    const std::vector<Entry> jobs = jobs_;
    for (const Entry& entry : jobs) {
        if (entry.job->ended()) continue;
        asio::co_spawn(executor, notify_later(entry.job, clock_, until - clock_.now()), asio::detached);
        while (!entry.job->ended() && clock_.now() < until)
            co_await entry.job->changed().wait();
    }
}

std::string job_state(const Job& job) {
    if (job.state() == Job::State::running) return "running";
    if (job.state() == Job::State::suspended) return "suspended";
    if (job.result.status != 0 && job.killed()) return "killed";
    return job.result.status == 0 || job.hosts().failed > 0 ? "done" : "failed";
}

std::string job_line(const Job& job) {
    const HostCounts hosts = job.hosts();
    const std::string state = job_state(job);
    std::string text = "[" + std::to_string(job.number) + "] " + state;
    if (state == "failed")
        text += " (status " + std::to_string(job.result.status) + ")";
    else if (state != "killed" && hosts.all > 0)
        text += " (" + std::to_string(job.ended() ? hosts.all - hosts.failed : hosts.running) + " of " +
                std::to_string(hosts.all) + " hosts)";
    return text + "  " + job.text();
}

}  // namespace trellis
