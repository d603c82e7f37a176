#include "tests/lab/fabric.hpp"

#include "tests/lab/lab_error.hpp"
#include "tests/lab/monotonic.hpp"

#include <algorithm>
#include <array>
#include <ctime>
#include <limits>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <thread>

namespace trellis::lab {
namespace {

constexpr std::size_t packets_per_read = 16;
constexpr std::size_t closing_threads = 64;
constexpr std::int64_t moderation_ns = 100'000;
constexpr std::uint64_t watched_mark = std::uint64_t{1} << 40;  // set in the tag of a watched descriptor
constexpr std::uint64_t timer_tag = watched_mark - 1;
using Events = std::array<epoll_event, 64>;

void add_to(int epoll, int fd, std::uint64_t tag, std::uint32_t events = EPOLLIN) {
    epoll_event event{};
    event.events = events;
    event.data.u64 = tag;
    checked(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event), "epoll");
}

// As cards moderate their interrupts: to wake up for each packet is dear.
std::int64_t moderated(std::int64_t due) {
    const std::int64_t over = due % moderation_ns;
    return over == 0 || due > std::numeric_limits<std::int64_t>::max() - moderation_ns
               ? due
               : due - over + moderation_ns;
}

}  // namespace

Fabric::Fabric(const TopologyFile& file)
    : model_(file, {[this](Packet* packet) { deliver(packet); }, [this](Packet* packet) { drop(packet); },
                    [this](const Packet& packet) { return pool_.copy(packet); },
                    [this](Packet* packet) { pool_.give_back(packet); }}),
      epoll_(checked(epoll_create1(EPOLL_CLOEXEC), "epoll")),
      timer_(checked(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK), "timer")),
      cards_(file.nodes.size()) {
    add_to(epoll_.get(), timer_.get(), timer_tag, EPOLLIN | EPOLLET);
}

void Fabric::add_card(std::size_t nic, UniqueFd card) {
    add_to(epoll_.get(), card.get(), nic);
    cards_[nic] = std::move(card);
}

void Fabric::watch(int fd, std::function<void()> readable) {
    add_to(epoll_.get(), fd, watched_mark | static_cast<std::uint64_t>(fd));
    watched_[fd] = std::move(readable);
}

void Fabric::poll(std::chrono::nanoseconds while_busy, const cpu_set_t& host_processors) {
    poll_ns_ = while_busy.count();
    wakeful_.emplace(host_processors, while_busy);
}

void Fabric::forget(int fd) {
    epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
    watched_.erase(fd);
}

void Fabric::run() {
    while (!stopped_)
        turn();
}

void Fabric::turn() {
    model_.run_until(monotonic_ns());
    std::int64_t now = monotonic_ns();
    std::int64_t due = model_.next_exit();
    bool polling = due <= now || now - last_packet_ns_ < poll_ns_;
    if (!polling) wake_at(poll_ns_ > 0 ? due : moderated(due), now);
    Events events;
    int ready = epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), polling ? 0 : -1);
    model_.run_until(monotonic_ns());
    for (int i = 0; i < ready; ++i) {
        std::uint64_t tag = events[static_cast<std::size_t>(i)].data.u64;
        if (tag == timer_tag) continue;
        if (tag < watched_mark) {
            read_card(tag);
        } else if (auto found = watched_.find(static_cast<int>(tag - watched_mark));
                   found != watched_.end()) {
            auto readable = found->second;  // it may forget itself
            readable();
        }
    }
}

// Setting a timer is dear on a virtual machine: one that expires too early stays as it is.
void Fabric::wake_at(std::int64_t due, std::int64_t now) {
    if (timer_ns_ > now && timer_ns_ <= due) return;
    timer_ns_ = due;
    itimerspec time{{}, {due / 1'000'000'000, due % 1'000'000'000}};
    checked(timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &time, nullptr), "timer");
}

void Fabric::read_card(std::size_t nic) {
    for (std::size_t i = 0; i < packets_per_read; ++i) {
        Packet* packet = pool_.read_from(cards_[nic].get());
        if (!packet) return;
        std::int64_t now = monotonic_ns();
        auto view = view_packet({packet->bytes.get(), packet->size});
        count_.in += 1;
        last_packet_ns_ = now;
        if (wakeful_) wakeful_->touch(now);
        if (!view) {
            pool_.give_back(packet);
            continue;
        }
        model_.enter(packet, nic, *view, now);
    }
}

void Fabric::deliver(Packet* packet) {
    std::int64_t late = monotonic_ns() - packet->tail;
    count_.lateness_ns += late;
    count_.latest_ns = std::max(count_.latest_ns, late);
    bool taken = write(cards_[packet->target].get(), packet->bytes.get(), packet->size) >= 0;
    (taken ? count_.out : count_.refused) += 1;
    pool_.give_back(packet);
}

void Fabric::drop(Packet* packet) {
    count_.dropped += 1;
    pool_.give_back(packet);
}

void Fabric::close_cards() {
    std::vector<std::thread> threads;
    for (std::size_t k = 0; k < std::min(closing_threads, cards_.size()); ++k) {
        threads.emplace_back([this, k] {
            for (std::size_t i = k; i < cards_.size(); i += closing_threads)
                cards_[i].reset();
        });
    }
    for (std::thread& thread : threads)
        thread.join();
}

}  // namespace trellis::lab
