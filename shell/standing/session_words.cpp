#include "shell/standing/session_words.hpp"

#include "shell/language/duration_text.hpp"
#include "shell/language/options.hpp"
#include "shell/standing/session_messages.hpp"

#include <utility>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <nlohmann/json.hpp>

namespace trellis {
namespace {

constexpr Duration answer_time = std::chrono::seconds(5);
constexpr Duration end_time = std::chrono::seconds(15);

std::string counted(std::uint32_t number, const std::string& what) {
    return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}

std::string line_of(const std::string& name, const Description& session, bool json) {
    if (!json)
        return name + "  " + counted(session.hosts, "host") + ", " +
               counted(session.front_ends, "front end") + ", since " + time_text(session.since) +
               ", process " + std::to_string(session.process) + "\n";
    return nlohmann::json{{"name", name},
                          {"hosts", session.hosts},
                          {"front_ends", session.front_ends},
                          {"since", session.since},
                          {"process", session.process}}
               .dump() +
           "\n";
}

class SessionWords {
  public:
    SessionWords(const SessionPlace& place, const SessionLinks& links, Console& console)
        : place_(place), links_(links), console_(console) {}

    Task<int> list(bool json);
    Task<int> end(std::string name);

  private:
    int fail(const std::string& cause) {
        console_.say("trellis: session: " + cause);
        return 1;
    }
    // A Failure says why not; unavailable: no such session runs.
    Task<Result<Description>> ask(std::string name);
    Task<Result<std::string>> only_one();

    const SessionPlace& place_;
    const SessionLinks& links_;
    Console& console_;
};

Task<Result<Description>> SessionWords::ask(std::string name) {
    const Result<int> connected = place_.connect(name);
    if (!connected) co_return connected.error();
    const auto link = links_(*connected);
    link->send(session_frame(ToSession(Describe{})));
    const Result<Frame> frame = co_await receive_within(*link, answer_time);
    const Failure silent{FailureKind::timed_out, "", "", "session " + name + " does not answer"};
    if (!frame) co_return silent;
    const Result<ToFrontEnd> answer = decode<ToFrontEnd>(frame->body);
    const Description* description = answer ? std::get_if<Description>(&*answer) : nullptr;
    if (!description) co_return silent;
    co_return *description;
}

Task<int> SessionWords::list(bool json) {
    int status = 0;
    for (const std::string& name : place_.names()) {
        const Result<Description> session = co_await ask(name);
        if (session) {
            std::string line = line_of(name, *session, json);
            (void)co_await console_.out().write(std::move(line));
        } else if (session.error().kind != FailureKind::unavailable) {
            status = fail(session.error().cause);
        }
    }
    co_return status;
}

Task<Result<std::string>> SessionWords::only_one() {
    std::vector<std::string> running;
    for (const std::string& name : place_.names()) {
        const Result<Description> session = co_await ask(name);
        if (session || session.error().kind != FailureKind::unavailable) running.push_back(name);
    }
    if (running.size() == 1) co_return running[0];
    std::string cause = running.empty() ? "no session runs" : "which one?";
    for (const std::string& name : running)
        cause.append(" ").append(name);
    co_return unavailable(std::move(cause));
}

// Returns when its process has ended, agents and all.
Task<int> SessionWords::end(std::string name) {
    if (name.empty()) {
        Result<std::string> only = co_await only_one();
        if (!only) co_return fail(only.error().cause);
        name = std::move(*only);
    }
    if (!is_session_name(name)) co_return fail("no session can be called '" + name + "'");
    const Result<int> connected = place_.connect(name);
    if (!connected) co_return fail(connected.error().cause);
    const auto link = links_(*connected);
    link->send(session_frame(ToSession(EndSession{})));
    for (;;) {
        const Result<Frame> frame = co_await receive_within(*link, end_time);
        if (frame) continue;
        if (frame.error().kind == FailureKind::timed_out)
            co_return fail("session " + name + " does not answer");
        co_return 0;
    }
}

}  // namespace

Task<Result<Frame>> receive_within(Link& link, Duration time) {
    const Executor executor = co_await asio::this_coro::executor;
    const auto waiting = std::make_shared<Link*>(&link);  // null: it has come, or is too late
    asio::steady_timer timer(executor, time);
    timer.async_wait([waiting](const boost::system::error_code& error) {
        if (Link* late = error ? nullptr : std::exchange(*waiting, nullptr)) late->close();
    });
    Result<Frame> frame = co_await link.receive();
    if (!std::exchange(*waiting, nullptr)) co_return Failure{FailureKind::timed_out, "", "", "no answer"};
    co_return frame;
}

Task<int> run_session_words(const std::vector<std::string>& words, const std::string& named,
                            const SessionPlace& place, const SessionLinks& links, Console& console) {
    CLI::App app{"Sessions that stay up", "trellis session"};
    app.require_subcommand(1);
    bool json = false;
    std::string name = named;
    CLI::App* list = app.add_subcommand("list", "list the sessions that run");
    list->add_flag("--json", json, "one JSON object for each");
    CLI::App* end = app.add_subcommand("end", "end a session and all its agents");
    end->add_option("name", name, "which one")->type_name("NAME");
    int usage = -1;
    try {
        app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
    } catch (const CLI::ParseError& error) {
        usage = app.exit(error) == 0 ? 0 : 2;
    }
    if (usage >= 0) co_return usage;
    SessionWords session(place, links, console);
    if (list->parsed()) co_return co_await session.list(json);
    co_return co_await session.end(name);
}

}  // namespace trellis
