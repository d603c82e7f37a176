#include "shell/standing/session_holder.hpp"

#include <chrono>
#include <csignal>
#include <filesystem>
#include <unistd.h>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace trellis {

SessionHolder::SessionHolder(const Executor& executor, Session& session, SessionPlace place, std::string name,
                             int listening, SessionLinks links, Duration idle, std::string version)
    : executor_(executor),
      clock_(session.clock()),
      place_(std::move(place)),
      name_(std::move(name)),
      socket_(place_.identity(name_)),
      links_(std::move(links)),
      standing_(executor_, session,
                {std::move(version), static_cast<std::int32_t>(::getpid()), idle,
                 [this] { return place_.identity(name_) == socket_; },
                 [this](const std::string& path) { use_agent(path); }}),
      acceptor_(executor_, asio::local::stream_protocol(), listening),
      end_signals_(executor_, SIGTERM, SIGINT) {}

std::string SessionHolder::agent_link(const SessionPlace& place, const std::string& name) {
    return place.path(name, ".agent");
}

void SessionHolder::use_agent(const std::string& path) const {
    if (path.empty()) return;
    std::error_code ignored;
    const std::string link = agent_link(place_, name_);
    std::filesystem::remove(link + ".new", ignored);
    std::filesystem::create_symlink(path, link + ".new", ignored);
    std::filesystem::rename(link + ".new", link, ignored);
}

Task<void> SessionHolder::accept() {
    constexpr auto as_result = asio::as_tuple(asio::use_awaitable);
    while (acceptor_.is_open()) {
        auto [error, socket] = co_await acceptor_.async_accept(as_result);
        if (error)  // closed, or there are no descriptors left
            co_await clock_.sleep(std::chrono::milliseconds(100));
        else if (peer_is_this_user(socket.native_handle()))
            standing_.accept(links_(socket.release()));
    }
}

Task<void> SessionHolder::stay() {
    end_signals_.async_wait([this](const boost::system::error_code& error, int number) {
        if (!error) standing_.end("its process was told to end by signal " + std::to_string(number));
    });
    asio::co_spawn(executor_, accept(), asio::detached);
    co_await standing_.until_end();
    const std::function<void()> stop = [this] { acceptor_.close(); };
    place_.remove(name_, socket_, stop);
    co_await standing_.farewell();
}

}  // namespace trellis
