// `explain`: how hosts were reached, or what was tried and why it failed.
#include "shell/commands/builtins.hpp"
#include "shell/hosts/host_groups.hpp"
#include "shell/language/duration_text.hpp"
#include "shell/output/outcome_text.hpp"
#include "shell/output/visible_text.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace trellis {
namespace {

using Json = nlohmann::json;

std::string place_name(const std::string& from) {
    return from == "root" ? std::string(here) : from;
}

// From here to the host itself.
std::vector<std::string> path_to(const Membership& membership, HostId host) {
    std::vector<std::string> path;
    for (const Member* member = membership.find(host); member; member = membership.find(member->parent))
        path.push_back(member->host.name);
    path.emplace_back(here);
    std::reverse(path.begin(), path.end());
    return path;
}

std::string setting(const LoginAttempt& attempt, const std::string& keyword) {
    const auto found = attempt.settings.find(keyword);
    return found == attempt.settings.end() ? "" : found->second;
}

// The command that makes the same login, for the user to try.
std::string login_command(const LoginAttempt& attempt) {
    if (attempt.route.way == SpawnWay::local) return "a process on this machine";
    std::string command = attempt.route.forward_agent ? "ssh -A " : "ssh ";
    if (attempt.route.way == SpawnWay::ssh_program) return command + attempt.target;
    const std::string port = setting(attempt, "port"), user = setting(attempt, "user"),
                      jump = setting(attempt, "proxyjump"), proxy = setting(attempt, "proxycommand"),
                      host = setting(attempt, "hostname");
    if (!port.empty() && port != "22") command += "-p " + port + " ";
    if (!jump.empty()) command += "-J " + jump + " ";
    if (!proxy.empty()) command += "-o 'ProxyCommand " + proxy + "' ";
    if (!user.empty() && attempt.target.find('@') == std::string::npos) command += "-l " + user + " ";
    return command + (host.empty() ? attempt.target : host);
}

std::string ending(const LoginAttempt& attempt) {
    if (!attempt.outcome) return "not ended: it is under way, or was interrupted";
    const std::string took = duration_text(attempt.took);
    return attempt.outcome->ok() ? "reached in " + took
                                 : outcome_text(*attempt.outcome) + " (after " + took + ")";
}

std::string attempt_line(const LoginRecord& record) {
    const LoginAttempt& attempt = record.attempt;
    const std::string from = place_name(attempt.from);
    return "  " + time_text(record.unix_time) + " " +
           (attempt.route.end_to_end && from != here ? "from here through " : "from ") + from + " by " +
           std::string(way_name(attempt.route.way)) +
           (record.rule.empty() ? ", no rule" : ", rule '" + record.rule + "'") + ": " +
           login_command(attempt) + "\n    " + ending(attempt) + "\n";
}

Json attempt_json(const LoginRecord& record) {
    const LoginAttempt& attempt = record.attempt;
    Json json{{"from", place_name(attempt.from)},
              {"way", way_name(attempt.route.way)},
              {"end_to_end", attempt.route.end_to_end},
              {"forward_agent", attempt.route.forward_agent},
              {"rule", record.rule},
              {"target", attempt.target},
              {"settings", attempt.settings},
              {"command", login_command(attempt)},
              {"time", record.unix_time}};
    if (!attempt.outcome) return json;
    json["seconds"] = std::chrono::duration<double>(attempt.took).count();
    json.update(outcome_json("", *attempt.outcome));
    json.erase("host");
    return json;
}

class ExplainCommand final : public Builtin {
  public:
    void declare(OptionSet& options) override {
        options.description(
            "Tell how hosts were reached: the path, and each login with its way, rule, command, time and "
            "end; "
            "of others what was tried and why it failed. Without hosts: of those on which no agent runs");
        options.option("hosts", words_, "Host ranges, wildcards, /regular expressions/, @groups, + - & ^")
            .type_name("HOSTS");
        options.flag("--json", json_, "One JSON object for each host");
    }

  protected:
    Task<int> run_in_shell(ShellContext& context) override {
        const HostGroups groups = host_groups(context.session(), context.seat());
        const Result<HostNames> chosen = evaluate_hosts(words_, *groups("all"), *groups("selected"), groups);
        if (!chosen)
            co_return context.fail(chosen.error().message(),
                                   chosen.error().kind == FailureKind::invalid ? 2 : 1);
        std::string text;
        for (const HostEntry& entry : context.session().hosts())
            if (words_.empty() ? !entry.running() : chosen->contains(entry.host.name))
                text += json_ ? as_json(context.session(), entry) : as_text(context.session(), entry);
        if (text.empty()) context.say("no known host is without an agent");
        co_await context.print(std::move(text));
        co_return 0;
    }

  private:
    static std::string as_text(Session& session, const HostEntry& entry) {
        const std::vector<LoginRecord> logins = session.logins(entry.host.name);
        std::string text = entry.host.name + ": ";
        if (entry.state != HostState::known)
            text += std::string(host_state_name(entry.state)) + ", " + path_text(session, entry);
        else
            text += entry.cause.empty() && logins.empty() ? "not tried yet (see explore)" : "not reached";
        if (!entry.cause.empty()) text += ": " + entry.cause;
        text += "\n";
        for (const LoginRecord& record : logins)
            text += attempt_line(record);
        return visible_text(text);  // some of it are other machines' words
    }

    static std::string path_text(Session& session, const HostEntry& entry) {
        std::string text;
        for (const std::string& name : path_to(session.cluster().membership(), entry.host.id))
            text += (text.empty() ? "" : " -> ") + name;
        return text;
    }

    static std::string as_json(Session& session, const HostEntry& entry) {
        Json json{{"host", entry.host.name}, {"state", host_state_name(entry.state)}};
        if (!entry.cause.empty()) json["cause"] = entry.cause;
        if (entry.state != HostState::known) {
            const auto path = path_to(session.cluster().membership(), entry.host.id);
            json["path"] = path;
            json["parent"] = path[path.size() - 2];
        }
        json["attempts"] = Json::array();
        for (const LoginRecord& record : session.logins(entry.host.name))
            json["attempts"].push_back(attempt_json(record));
        return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
    }

    std::vector<std::string> words_;
    bool json_ = false;
};

}  // namespace

CommandEntry explain_command() {
    return {"explain", "tell how hosts were reached, or why not", make_command<ExplainCommand>};
}

}  // namespace trellis
