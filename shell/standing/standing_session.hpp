// StandingSession: a session that stays up without a front end of its own: it takes front ends that connect,
// keeps their seats, passes on what they share, and ends on request or when nobody has used it for a time.
// Owned by main.cpp, outlives its front ends; it opens no socket and prints nothing.
#pragma once

#include "trellis/link.hpp"

#include "shell/running/turns.hpp"
#include "shell/standing/session_sharing.hpp"

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>

namespace trellis {

class FrontEnd;

class StandingSession {
  public:
    struct Settings {
        std::string version;
        std::int32_t process = 0;
        Duration idle{};                  // without a front end; then it ends
        std::function<bool()> reachable;  // asked now and then; a session that nobody can reach ends
        std::function<void(const std::string&)> use_agent;  // the ssh-agent of whoever has come
    };
    StandingSession(Executor executor, Session& session, Settings settings);
    ~StandingSession();
    StandingSession(const StandingSession&) = delete;
    StandingSession& operator=(const StandingSession&) = delete;

    // A front end has connected.
    void accept(std::unique_ptr<Link> link);
    // Returns when the session is to end: after end(), or when it has been idle.
    Task<void> until_end();
    void end(const std::string& why);
    // Says farewell to all front ends and waits, for a moment, until they have gone. Those that asked for the
    // end stay connected until this process has ended.
    Task<void> farewell();
    // A line for the users of all front ends.
    void note(const std::string& line);

    // For front ends.
    [[nodiscard]] Session& session() { return session_; }
    [[nodiscard]] const Settings& settings() const { return settings_; }
    [[nodiscard]] Description description() const;
    [[nodiscard]] SeatParts& seat(const std::string& name);
    [[nodiscard]] Turns& exploring() { return exploring_; }
    [[nodiscard]] Turns& measuring() { return measuring_; }
    // Members have come or changed, or a front end has shared something: tells all front ends.
    void tell_all();

  private:
    Task<void> serve(std::shared_ptr<FrontEnd> front_end);

    Executor executor_;
    Session& session_;
    Settings settings_;
    std::int64_t since_;
    TimePoint last_use_;
    std::list<std::shared_ptr<FrontEnd>> front_ends_;
    struct KeptSeat {
        SeatParts parts;
        std::uint64_t used = 0;
    };
    std::map<std::string, KeptSeat> seats_;
    std::uint64_t seat_uses_ = 0;
    Turns exploring_;
    Turns measuring_;  // the network lease: measurements disturb one another
    bool ended_ = false;
    std::string why_ = "nobody used it";
    Signal end_;
};

}  // namespace trellis
