#include "shell/standing/standing_session.hpp"

#include "shell/standing/front_end.hpp"

#include <algorithm>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>

namespace trellis {
namespace {

constexpr std::size_t most_seats = 256;
constexpr Duration look_about = std::chrono::seconds(20);

}  // namespace

StandingSession::StandingSession(Executor executor, Session& session, Settings settings)
    : executor_(std::move(executor)),
      session_(session),
      settings_(std::move(settings)),
      since_(session.unix_time()),
      last_use_(session.clock().now()),
      exploring_(executor_),
      measuring_(executor_),
      end_(executor_) {
    session_.on_change([this](const HostEntry&) { tell_all(); });
}

StandingSession::~StandingSession() {
    session_.on_change({});
}

void StandingSession::accept(std::unique_ptr<Link> link) {
    auto front_end = std::make_shared<FrontEnd>(executor_, *this, std::move(link));
    front_ends_.push_back(front_end);
    asio::co_spawn(executor_, serve(std::move(front_end)), asio::detached);
}

Task<void> StandingSession::serve(std::shared_ptr<FrontEnd> front_end) {
    const bool used = co_await front_end->serve();
    front_ends_.remove(front_end);
    if (used) last_use_ = session_.clock().now();
}

// Asked in short steps: the machine may have slept, and the way to the session may be gone.
Task<void> StandingSession::until_end() {
    using asio::experimental::awaitable_operators::operator||;
    while (!ended_) {
        Task<void> asked = end_.wait();
        Task<void> slept = session_.clock().sleep(std::min(look_about, settings_.idle));
        co_await (std::move(asked) || std::move(slept));
        if (ended_ || !front_ends_.empty()) continue;
        if (session_.clock().now() - last_use_ >= settings_.idle || !settings_.reachable()) ended_ = true;
    }
}

void StandingSession::end(const std::string& why) {
    ended_ = true;
    why_ = why;
    end_.notify();
}

Task<void> StandingSession::farewell() {
    for (const auto& front_end : front_ends_)
        if (front_end->attached()) front_end->say_farewell(why_);
    const TimePoint until = session_.clock().now() + std::chrono::seconds(1);
    while (description().front_ends > 0 && session_.clock().now() < until)
        co_await session_.clock().sleep(std::chrono::milliseconds(5));
}

void StandingSession::note(const std::string& line) {
    for (const auto& front_end : front_ends_)
        front_end->note(line);
}

Description StandingSession::description() const {
    const auto& members = session_.cluster().membership().members();
    const auto running = std::count_if(members.begin(), members.end(), [](const auto& entry) {
        return entry.second.state != MemberState::lost;
    });
    const auto attached = std::count_if(front_ends_.begin(), front_ends_.end(),
                                        [](const auto& front_end) { return front_end->attached(); });
    return {settings_.process, since_, static_cast<std::uint32_t>(running),
            static_cast<std::uint32_t>(attached)};
}

// Of many seats those that were used last are kept.
SeatParts& StandingSession::seat(const std::string& name) {
    if (seats_.size() >= most_seats && !seats_.contains(name)) {
        seats_.erase(std::min_element(seats_.begin(), seats_.end(), [](const auto& one, const auto& other) {
            return one.second.used < other.second.used;
        }));
    }
    KeptSeat& kept = seats_[name];
    kept.used = ++seat_uses_;
    return kept.parts;
}

void StandingSession::tell_all() {
    for (const auto& front_end : front_ends_)
        front_end->tell_news();
}

}  // namespace trellis
