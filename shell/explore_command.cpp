// `explore`: start agents on hosts.
#include "agentd/model/host_range.hpp"
#include "shell/builtins.hpp"
#include "shell/duration_text.hpp"
#include "shell/outcome_text.hpp"

#include <set>

#include <nlohmann/json.hpp>

namespace trellis {
namespace {

class ExploreCommand final : public Builtin {
  public:
    void declare(OptionSet options) override {
        options.description("Start agents on hosts; without names, on all known hosts on which none runs");
        options.option("hosts", ranges_, "Host ranges such as a[00-15]").type_name("HOSTS");
        options.option("--timeout", timeout_, "For each login").type_name("DURATION");
        options.flag("--json", json_, "One JSON object for each host");
    }

  protected:
    Task<int> run_in_shell(ShellContext& context) override {
        const Result<Duration> timeout =
            timeout_.empty() ? context.session().login_timeout : parse_duration(timeout_);
        if (!timeout) co_return context.fail("--timeout: " + timeout.error().message(), 2);
        const Result<std::vector<std::string>> names = wanted(context);
        if (!names) co_return context.fail(names.error().message(), 2);
        if (names->empty()) co_return context.fail("expected hosts: none are known that are not reached", 2);
        co_return co_await explore(context, *names, *timeout);
    }

  private:
    [[nodiscard]] Result<std::vector<std::string>> wanted(ShellContext& context) const {
        std::vector<std::string> names;
        std::set<std::string> seen;
        for (const std::string& range : ranges_) {
            Result<std::vector<std::string>> expanded = expand_hosts(range);
            if (!expanded) return expanded.error();
            for (std::string& name : *expanded)
                if (seen.insert(name).second) names.push_back(std::move(name));
        }
        if (!ranges_.empty()) return names;
        for (const HostEntry& entry : context.session().hosts())
            if (!entry.running()) names.push_back(entry.host.name);
        return names;
    }

    Task<int> explore(ShellContext& context, const std::vector<std::string>& names, Duration timeout) {
        Session& session = context.session();
        session.name_hosts(names);
        ExplorePlan plan;
        plan.hosts = names;
        plan.login_timeout = timeout;
        plan.rule = [&rules = session.rules()](const std::string& from, const std::string& to) {
            return rules.route(from, to);
        };
        plan.progress = [&context](std::size_t reached, std::size_t ended, std::size_t all) {
            std::string line = "reached " + std::to_string(reached) + " of " + std::to_string(all) + " hosts";
            if (ended > reached) line += ", " + std::to_string(ended - reached) + " failed";
            context.progress(std::move(line));
        };
        plan.suspicion = [&context](const std::string& host, bool silent) {
            context.say(suspicion_line(host, silent));
        };
        const TimePoint begin = context.clock().now();
        const Publishing publishing{context};
        const std::vector<ExploreResult> results = co_await session.cluster().explore(std::move(plan));
        co_return co_await report(context, results, context.clock().now() - begin);
    }

    // What has been reached stays, also when the user interrupts.
    struct Publishing {
        ShellContext& context;
        ~Publishing() {
            context.session().publish_hosts();
            context.seat().publish_selection();
        }
    };

    Task<int> report(ShellContext& context, const std::vector<ExploreResult>& results, Duration took) {
        std::map<std::string, Outcome> outcomes;
        for (const ExploreResult& result : results) {
            outcomes[result.name] = result.outcome;
            context.session().note_attempt(result.name, result.outcome);
        }
        context.seat().note_outcomes(outcomes);
        if (json_) {
            std::string text;
            for (const ExploreResult& result : results)
                text += outcome_json(result.name, result.outcome).dump() + "\n";
            co_await context.print(std::move(text));
        }
        for (const std::string& line : failure_lines(outcomes))
            context.say(line);
        const auto reached = std::count_if(results.begin(), results.end(),
                                           [](const ExploreResult& result) { return result.outcome.ok(); });
        context.say("reached " + std::to_string(reached) + " of " + std::to_string(results.size()) +
                    (results.size() == 1 ? " host in " : " hosts in ") + duration_text(took));
        co_return exit_status_of(outcomes);
    }

    std::vector<std::string> ranges_;
    std::string timeout_;
    bool json_ = false;
};

}  // namespace

CommandEntry explore_command() {
    return {"explore", "start agents on hosts", make_command<ExploreCommand>};
}

}  // namespace trellis
