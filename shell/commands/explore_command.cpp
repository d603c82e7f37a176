// `explore`: start agents on hosts.
#include "shell/commands/builtins.hpp"
#include "shell/commands/explore_sources.hpp"
#include "shell/language/duration_text.hpp"
#include "shell/output/outcome_text.hpp"

#include <algorithm>
#include <iterator>
#include <set>

#include <nlohmann/json.hpp>

namespace trellis {
namespace {

std::string hosts_text(std::size_t count) {
    return std::to_string(count) + (count == 1 ? " host" : " hosts");
}

class ExploreCommand final : public Builtin {
  public:
    void declare(OptionSet& options) override {
        options.description(
            "Start agents on hosts; without any, on all known hosts on which none runs. Hosts on which one "
            "runs already are counted, not logged in to again");
        sources_.declare(options);
        options.option("--timeout", timeout_, "For each login").type_name("DURATION");
        options.option("--fan-out", fan_out_, "How many hosts are reached straight from one, at most (64)")
            .between(1, 1024);
        options.flag("--json", json_, "One JSON object for each host");
    }

  protected:
    Task<int> run_in_shell(ShellContext& context) override {
        const Result<std::optional<Duration>> timeout = parse_timeout(timeout_);
        if (!timeout) co_return context.fail(timeout.error().message(), 2);
        Result<std::vector<std::string>> names = std::vector<std::string>();
        if (sources_.given())
            names = co_await sources_.read(context);
        else
            names = known_hosts(context.session());
        if (!names) co_return context.fail(names.error().message(), 2);
        co_return co_await explore(context, *names, timeout->value_or(context.session().login_timeout));
    }

  private:
    [[nodiscard]] Result<std::vector<std::string>> known_hosts(const Session& session) const {
        std::vector<std::string> names;
        for (const HostEntry& entry : session.hosts())
            names.push_back(entry.host.name);
        if (names.empty()) return invalid("expected hosts: none are known");
        return sources_.picked(std::move(names));
    }

    Task<int> explore(ShellContext& context, const std::vector<std::string>& names, Duration timeout) {
        context.session().name_hosts(names);
        const std::vector<std::string> missing = not_running(context.session(), names);
        const TimePoint begin = context.clock().now();
        const Publishing publishing{context};
        std::vector<ExploreResult> results;
        if (!missing.empty()) {
            ExplorePlan plan = plan_for(context, missing, names.size() - missing.size());
            plan.login_timeout = timeout;
            if (fan_out_) plan.fan_out = static_cast<std::size_t>(*fan_out_);
            results = co_await context.session().cluster().explore(std::move(plan));
        }
        co_return co_await report(context, names, results, context.clock().now() - begin);
    }

    static std::vector<std::string> not_running(const Session& session,
                                                const std::vector<std::string>& names) {
        std::set<std::string> running;
        for (const HostEntry& entry : session.hosts())
            if (entry.running()) running.insert(entry.host.name);
        std::vector<std::string> missing;
        std::copy_if(names.begin(), names.end(), std::back_inserter(missing),
                     [&](const std::string& name) { return !running.contains(name); });
        return missing;
    }

    // `there`: hosts that are meant and need no login.
    static ExplorePlan plan_for(ShellContext& context, const std::vector<std::string>& names,
                                std::size_t there) {
        Session& session = context.session();
        ExplorePlan plan;
        plan.hosts = names;
        plan.rule = [&rules = session.rules()](const std::string& from, const std::string& to) {
            return rules.route(from, to);
        };
        plan.progress = [&context, there](std::size_t reached, std::size_t ended, std::size_t all) {
            std::string line =
                "reached " + std::to_string(there + reached) + " of " + hosts_text(there + all);
            if (ended > reached) line += ", " + std::to_string(ended - reached) + " failed";
            context.progress(std::move(line));
        };
        plan.suspicion = [&context](const std::string& host, bool silent) {
            context.say(suspicion_line(host, silent));
        };
        plan.attempt = [&session](const std::string& host, const LoginAttempt& attempt) {
            session.note_login(host, attempt);
        };
        return plan;
    }

    // What has been reached stays, also when the user interrupts.
    struct Publishing {
        ShellContext& context;
        ~Publishing() {
            context.session().publish_hosts();
            context.seat().publish_selection();
        }
    };

    // Of the names those without a result were there before.
    Task<int> report(ShellContext& context, const std::vector<std::string>& names,
                     const std::vector<ExploreResult>& results, Duration took) {
        std::map<std::string, Outcome> outcomes;
        for (const std::string& name : names)
            outcomes[name] = Outcome::success();
        for (const ExploreResult& result : results) {
            outcomes[result.name] = result.outcome;
            context.session().note_attempt(result.name, result.outcome);
        }
        context.seat().note_outcomes(outcomes);
        if (json_) {
            std::string text;
            for (const std::string& name : names)
                text += outcome_json(name, outcomes[name]).dump() + "\n";
            co_await context.print(std::move(text));
        }
        for (const std::string& line : failure_lines(outcomes))
            context.say(line);
        context.say(summary(outcomes, names.size() - results.size(), took));
        co_return exit_status_of(outcomes);
    }

    static std::string summary(const std::map<std::string, Outcome>& outcomes, std::size_t there,
                               Duration took) {
        if (there == outcomes.size()) return hosts_text(there) + " reached already";
        const auto reached = std::count_if(outcomes.begin(), outcomes.end(),
                                           [](const auto& item) { return item.second.ok(); });
        return "reached " + std::to_string(reached) + " of " + hosts_text(outcomes.size()) + " in " +
               duration_text(took) + (there == 0 ? "" : ", " + std::to_string(there) + " of them before");
    }

    ExploreSources sources_;
    std::string timeout_;
    std::optional<int> fan_out_;
    bool json_ = false;
};

}  // namespace

CommandEntry explore_command() {
    return {"explore", "start agents on hosts", make_command<ExploreCommand>};
}

}  // namespace trellis
