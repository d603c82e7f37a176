// `ping`: how long a message to the agents and back takes.
#include "trellis/outcome.hpp"

#include "shell/commands/builtins.hpp"
#include "shell/output/outcome_text.hpp"

#include <algorithm>
#include <cstdio>
#include <map>

#include <nlohmann/json.hpp>

namespace trellis {
namespace {

double milliseconds(Duration time) {
    return std::chrono::duration<double, std::milli>(time).count();
}

std::string text_of(Duration time) {
    char text[32];
    std::snprintf(text, sizeof text, "%.2f ms", milliseconds(time));
    return text;
}

struct Answers {
    std::map<std::string, Duration> times;
    std::map<std::string, Outcome> outcomes;

    // Of at least one time, in ascending order.
    [[nodiscard]] std::vector<Duration> sorted() const {
        std::vector<Duration> all;
        for (const auto& [host, time] : times)
            all.push_back(time);
        std::sort(all.begin(), all.end());
        return all;
    }
};

class PingCommand final : public Builtin {
  public:
    void declare(OptionSet& options) override {
        options.description(
            "One message to the agents of all selected hosts and back, over the tree: how many answer, and "
            "the\n"
            "least, median and greatest time");
        options.flag("-a,--all", all_, "The time of each host");
        options.flag("--json", json_, "One JSON object, with the time of each host");
    }

  protected:
    Task<int> run_in_shell(ShellContext& context) override {
        if (context.selection().empty())
            co_return context.fail("no host is selected (see hosts, explore, rmask)");
        const Answers answers = co_await ask(context);
        for (const std::string& line : failure_lines(answers.outcomes))
            context.say(line);
        std::string text = json_ ? as_json(answers) : as_text(answers);
        co_await context.print(std::move(text));
        co_return exit_status_of(answers.outcomes);
    }

  private:
    static Task<Answers> ask(ShellContext& context) {
        Answers answers;
        std::map<HostId, std::string> names;
        OperationRequest request;
        request.kind = "ping";
        for (const Host& host : context.selection()) {
            names[host.id] = host.name;
            request.hosts.push_back(host.id);
        }
        const TimePoint started = context.clock().now();
        const auto operation = context.operations().start(std::move(request));
        for (;;) {
            const std::optional<OperationEvent> event = co_await operation->next();
            if (!event) break;
            const std::string& host = names[event->host];
            if (const auto* suspicion = std::get_if<HostSuspicion>(&event->what))
                context.say(suspicion_line(host, suspicion->suspect));
            else if (const auto* result = std::get_if<RoleResult>(&event->what)) {
                answers.outcomes[host] = result->outcome;
                if (result->outcome.ok()) answers.times[host] = context.clock().now() - started;
            }
        }
        co_return answers;
    }

    [[nodiscard]] std::string as_text(const Answers& answers) const {
        std::string text;
        if (all_)
            for (const auto& [host, time] : answers.times)
                text += host + ": " + text_of(time) + "\n";
        text += std::to_string(answers.times.size()) + " of " + std::to_string(answers.outcomes.size()) +
                " hosts answer";
        const std::vector<Duration> times = answers.sorted();
        if (times.empty()) return text + "\n";
        return text + ": min " + text_of(times.front()) + ", median " + text_of(times[times.size() / 2]) +
               ", max " + text_of(times.back()) + "\n";
    }

    static std::string as_json(const Answers& answers) {
        nlohmann::json json{{"hosts", answers.outcomes.size()},
                            {"answers", answers.times.size()},
                            {"ms", nlohmann::json::object()}};
        for (const auto& [host, time] : answers.times)
            json["ms"][host] = milliseconds(time);
        const std::vector<Duration> times = answers.sorted();
        if (!times.empty()) {
            json["min_ms"] = milliseconds(times.front());
            json["median_ms"] = milliseconds(times[times.size() / 2]);
            json["max_ms"] = milliseconds(times.back());
        }
        return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
    }

    bool all_ = false, json_ = false;
};

}  // namespace

CommandEntry ping_command() {
    return {"ping", "time a message to the selected hosts and back", make_command<PingCommand>};
}

}  // namespace trellis
