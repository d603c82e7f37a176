// SessionHolder: the process of a session that stays up, around its StandingSession: the listening socket,
// the signals by which it ends, the link to the ssh-agent. Owned by main.cpp, which owns the session and its
// agents.
#pragma once

#include "shell/standing/session_place.hpp"
#include "shell/standing/session_words.hpp"
#include "shell/standing/standing_session.hpp"

#include <string>

#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/signal_set.hpp>

namespace trellis {

class SessionHolder {
  public:
    // `listening`: the session's socket, which it takes over.
    SessionHolder(const Executor& executor, Session& session, SessionPlace place, std::string name,
                  int listening, SessionLinks links, Duration idle, std::string version);

    // Where SSH_AUTH_SOCK of this process is to lead: to the agent of whoever came last.
    [[nodiscard]] static std::string agent_link(const SessionPlace& place, const std::string& name);
    void note(const std::string& line) { standing_.note(line); }
    // Takes front ends until the session is to end, and says farewell to them.
    Task<void> stay();

  private:
    Task<void> accept();
    void use_agent(const std::string& path) const;

    Executor executor_;
    Clock& clock_;
    SessionPlace place_;
    std::string name_;
    std::uint64_t socket_;
    SessionLinks links_;
    StandingSession standing_;
    asio::local::stream_protocol::acceptor acceptor_;
    asio::signal_set end_signals_;
};

}  // namespace trellis
