#include "agentd/os/probe_loop.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <future>
#include <memory>
#include <pthread.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>

namespace trellis {

ProbeLoop::Handler::~Handler() {
    unwatch();
    clear_deadline();
}

void ProbeLoop::Handler::watch(const FileDescriptor& file, bool for_writing) {
    const int number = file.get();
    epoll_event event{};
    event.events = for_writing ? EPOLLOUT : EPOLLIN;
    event.data.fd = number;
    ::epoll_ctl(loop_.epoll_.get(), file_ == number ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, number, &event);
    file_ = number;
    const auto index = static_cast<std::size_t>(number);
    if (loop_.handlers_.size() <= index) loop_.handlers_.resize(index + 1);
    loop_.handlers_[index] = this;
}

void ProbeLoop::Handler::unwatch() {
    if (file_ < 0) return;
    ::epoll_ctl(loop_.epoll_.get(), EPOLL_CTL_DEL, file_, nullptr);
    loop_.handlers_[static_cast<std::size_t>(file_)] = nullptr;
    file_ = -1;
}

void ProbeLoop::Handler::set_deadline(TimePoint when) {
    clear_deadline();
    deadline_ = when;
    loop_.deadlines_.emplace(when, this);
}

void ProbeLoop::Handler::clear_deadline() {
    if (deadline_) loop_.deadlines_.erase({*deadline_, this});
    deadline_.reset();
}

ProbeLoop::ProbeLoop(Duration spin)
    : spin_(spin), epoll_(::epoll_create1(EPOLL_CLOEXEC)), wakeup_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = wakeup_.get();
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, wakeup_.get(), &event);
    // Signals are for the main thread.
    sigset_t all;
    sigset_t before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread([this] { run(); });
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

ProbeLoop::~ProbeLoop() {
    post([this] { stopped_ = true; });
    thread_.join();
}

void ProbeLoop::post(std::function<void()> work) {
    {
        const std::lock_guard lock(mutex_);
        posted_.push_back(std::move(work));
    }
    ::eventfd_write(wakeup_.get(), 1);
}

void ProbeLoop::call(const std::function<void()>& work) {
    // Shared: the loop may still be inside set_value() when the future is ready.
    const auto done = std::make_shared<std::promise<void>>();
    post([&work, done] {
        work();
        done->set_value();
    });
    done->get_future().wait();
}

TimePoint ProbeLoop::now() {
    timespec time{};
    ::clock_gettime(CLOCK_MONOTONIC, &time);
    return TimePoint(std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec));
}

void ProbeLoop::run() {
    std::array<epoll_event, 64> events{};
    while (!stopped_) {
        const int count = ::epoll_wait(epoll_.get(), events.data(), events.size(), wait_time());
        for (int i = 0; i < count; ++i)
            dispatch(events[static_cast<std::size_t>(i)].data.fd);
        run_expired();
    }
}

int ProbeLoop::wait_time() const {
    if (spin_ > Duration::zero() && now() - touched_ < spin_) return 0;
    if (deadlines_.empty()) return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadlines_.begin()->first - now());
    return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 60'000));
}

void ProbeLoop::dispatch(int file) {
    if (file == wakeup_.get()) {
        run_posted();
        return;
    }
    // An earlier event of the same round may have closed it.
    const auto index = static_cast<std::size_t>(file);
    if (index < handlers_.size() && handlers_[index] != nullptr) handlers_[index]->ready();
}

void ProbeLoop::run_posted() {
    eventfd_t count = 0;
    ::eventfd_read(wakeup_.get(), &count);
    std::vector<std::function<void()>> work;
    {
        const std::lock_guard lock(mutex_);
        work.swap(posted_);
    }
    for (const auto& one : work)
        one();
}

void ProbeLoop::run_expired() {
    while (!deadlines_.empty() && deadlines_.begin()->first <= now()) {
        Handler* handler = deadlines_.begin()->second;
        handler->clear_deadline();
        handler->expired();
    }
}

Duration default_probe_spin() {
    cpu_set_t processors;
    CPU_ZERO(&processors);
    const bool known = ::sched_getaffinity(0, sizeof processors, &processors) == 0;
    const bool to_spare = known && CPU_COUNT(&processors) >= 4;
    return to_spare ? std::chrono::microseconds(200) : Duration::zero();
}

}  // namespace trellis
