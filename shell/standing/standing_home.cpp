#include "shell/standing/standing_home.hpp"

#include <cstdlib>
#include <utility>
#include <vector>

#include <boost/asio/experimental/awaitable_operators.hpp>

namespace trellis {

StandingHome::StandingHome(const Executor& executor, Clock& clock, Network& network,
                           std::unique_ptr<Link> link, std::string name, std::string seat,
                           std::string version)
    : clock_(clock),
      remote_(executor, network, std::move(link)),
      name_(std::move(name)),
      seat_name_(std::move(seat)),
      version_(std::move(version)) {}

Task<bool> StandingHome::enter(FrontEndParts parts) {
    using namespace asio::experimental::awaitable_operators;
    parts_.emplace(std::move(parts));
    const char* agent = std::getenv("SSH_AUTH_SOCK");
    Attach as{version_, seat_name_, agent ? agent : ""};
    auto attaching = remote_.attach(std::move(as), listener());
    auto patience = clock_.sleep(std::chrono::seconds(10));
    auto result = co_await (std::move(attaching) || std::move(patience));
    auto* kept = std::get_if<0>(&result);
    if (!kept || !*kept) {
        parts_->console.say("trellis: session " + name_ + ": " +
                            (kept ? kept->error().message() : "it does not answer"));
        co_return false;
    }
    restore_seat(parts_->seat, **kept);
    kept_ = seat_parts(parts_->seat);
    parts_->interpreter.keep_with([this] { share(); });
    co_return true;
}

RemoteCluster::Listener StandingHome::listener() {
    RemoteCluster::Listener listener;
    listener.shared = [this](const SharedChange& change) { take(change); };
    listener.note = [this](const std::string& line) { parts_->console.say(line); };
    listener.ended = [this](const std::string& why) { ended(why); };
    return listener;
}

void StandingHome::take(const SharedChange& change) {
    const Result<void> applied = sharing_.apply(parts_->session, change);
    if (!applied) parts_->console.say("trellis: " + applied.error().message());
    parts_->seat.publish_selection();
}

// Tells the session what has changed here.
void StandingHome::share() {
    std::vector<std::string> too_large;
    for (SharedChange& change : sharing_.take_changes(parts_->session, too_large))
        remote_.send(std::move(change));
    for (const std::string& name : too_large)
        parts_->console.say("trellis: the value " + name + " is too large for the session to keep");
    SeatParts now = seat_parts(parts_->seat);
    SeatParts changed = changed_parts(kept_, now);
    for (auto& [name, bytes] : changed)
        remote_.send(SeatChange{{{name, std::move(bytes)}}});
    kept_ = std::move(now);
}

void StandingHome::ended(const std::string& why) {
    parts_->console.say("trellis: session " + name_ + " is gone: " + why);
    parts_->end();
}

Task<void> StandingHome::leave() {
    using namespace asio::experimental::awaitable_operators;
    if (!kept_.empty()) share();  // what has changed since the last statement
    auto left = remote_.leave();
    auto patience = clock_.sleep(std::chrono::seconds(5));
    co_await (std::move(left) || std::move(patience));
}

std::string StandingHome::farewell() const {
    return "the session stays up; to end it: trellis session end " + name_;
}

}  // namespace trellis
