#include "shell/running/job.hpp"

#include "shell/running/invocation.hpp"

#include <algorithm>
#include <csignal>
#include <utility>

namespace trellis {

Job::Job(const Executor& executor, std::vector<Statement> statements, std::string origin)
    : statements_(std::move(statements)),
      origin_(std::move(origin)),
      foreground_(!statements_.back().background),
      changed_(executor) {}

std::string Job::text() const {
    const std::size_t begin = statements_.front().begin;
    std::string text = statements_.front().source.substr(begin, statements_.back().end - begin);
    text.erase(text.find_last_not_of(" \t\r\n") + 1);
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}

HostCounts Job::hosts() const {
    return invocation_ ? invocation_->hosts() : last_counts_;
}

void Job::press_interrupt() {
    if (invocation_) invocation_->press();
}

bool Job::heeds_suspend() const {
    if (other_) return other_->heeds_suspend();
    return invocation_ && !invocation_->shares_terminal();
}

void Job::press_suspend() {
    if (!heeds_suspend()) return;
    if (other_) return other_->press_suspend();
    foreground_ = false;
    signal(SIGSTOP);
    changed_.notify();
}

bool Job::signal(int which) {
    if (!invocation_ || !invocation_->signal(which)) return false;
    for (const int ends : {SIGHUP, SIGINT, SIGTERM, SIGKILL})
        killed_ = killed_ || which == ends;
    if (which == SIGSTOP) state_ = State::suspended;
    if (which == SIGCONT || killed_) state_ = State::running;
    changed_.notify();
    return true;
}

void Job::go_on(bool in_foreground) {
    foreground_ = in_foreground;
    if (state_ == State::suspended) signal(SIGCONT);
}

void Job::abandon() {
    killed_ = true;
    if (invocation_) invocation_->abandon();
}

Task<void> Job::while_in_foreground(std::shared_ptr<Job> job) {
    while (job->foreground_ && !job->ended())
        co_await job->changed_.wait();
    if (job->error_) std::rethrow_exception(job->error_);
}

Task<void> Job::until_ended_or_suspended(std::shared_ptr<Job> job) {
    while (job->state_ == State::running)
        co_await job->changed_.wait();
}

void Job::leave(const HostCounts& counts) {
    invocation_ = nullptr;
    last_counts_ = counts;
    if (state_ == State::suspended) state_ = State::running;
}

void Job::end(std::exception_ptr error) {
    error_ = std::move(error);
    state_ = State::ended;
    changed_.notify();
}

}  // namespace trellis
