// `jobs`, `fg`, `bg`, `kill` and `wait`: what runs in the background.
#include "shell/commands/builtins.hpp"
#include "shell/running/invocation.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <csignal>
#include <cstring>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

namespace trellis {
namespace {

class JobsCommand final : public Builtin {
  public:
    void declare(OptionSet& options) override {
        options.description("List the jobs: number, state, on how many hosts they still run, command");
        options.flag("--json", json_, "A list of JSON objects");
    }

  protected:
    Task<int> run_in_shell(ShellContext& context) override {
        nlohmann::json list = nlohmann::json::array();
        std::string text;
        for (const Jobs::Pointer& job : context.jobs().numbered()) {
            list.push_back(as_json(*job));
            text += job_line(*job) + "\n";
        }
        if (json_) text = list.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
        co_await context.print(std::move(text));
        co_return 0;
    }

  private:
    static nlohmann::json as_json(const Job& job) {
        const HostCounts hosts = job.hosts();
        nlohmann::json json{{"job", job.number},
                            {"state", job_state(job)},
                            {"command", job.text()},
                            {"hosts", hosts.all},
                            {"running", job.ended() ? 0 : hosts.running}};
        if (!job.ended()) return json;
        json["succeeded"] = hosts.all - hosts.failed;
        json["status"] = job.result.status;
        return json;
    }

    bool json_ = false;
};

class FgCommand final : public Builtin {
  public:
    void declare(OptionSet& options) override {
        options.description("Bring a job to the foreground, continue it, and wait for it");
        options.option("job", name_, "%N; without one, the last that was suspended, or else the last")
            .type_name("%N");
    }

  protected:
    Task<int> run_in_shell(ShellContext& context) override {
        if (!context.job().foreground()) co_return context.fail("cannot run in the background");
        Result<Jobs::Pointer> found = context.jobs().find(name_);
        if (!found) co_return context.fail(found.error().message());
        const Jobs::Pointer job = std::move(*found);
        context.say(job->text());
        context.on_interrupt([job](int) { job->press_interrupt(); });
        context.job().stand_in_for(job);
        job->go_on(true);
        co_await Job::while_in_foreground(job);
        context.job().stand_in_for(nullptr);
        if (!job->ended()) co_return status_suspended;
        context.take_over(*job);
        context.jobs().forget(*job);
        if (job->result.quit) context.quit(job->result.quit_status);
        co_return job->result.status;
    }

  private:
    std::string name_;
};

class BgCommand final : public Builtin {
  public:
    void declare(OptionSet& options) override {
        options.description("Continue a suspended job in the background");
        options.option("job", name_, "%N; without one, the last that was suspended").type_name("%N");
    }

  protected:
    Task<int> run_in_shell(ShellContext& context) override {
        const Result<Jobs::Pointer> found = context.jobs().find(name_);
        if (!found) co_return context.fail(found.error().message());
        if ((*found)->state() != Job::State::suspended)
            co_return context.fail("not suspended: " + job_line(**found));
        (*found)->go_on(false);
        co_return 0;
    }

  private:
    std::string name_;
};

class WaitCommand final : public Builtin {
  public:
    void declare(OptionSet& options) override {
        options.description("Wait until jobs have ended; their outcomes are those of this command");
        options.option("jobs", names_, "%N ...; without one, all that run").type_name("%N");
    }

  protected:
    Task<int> run_in_shell(ShellContext& context) override {
        if (!context.job().foreground()) co_return context.fail("cannot run in the background");
        const Result<std::vector<Jobs::Pointer>> jobs = chosen(context.jobs());
        if (!jobs) co_return context.fail(jobs.error().message(), status_not_found);
        int status = 0;
        for (const Jobs::Pointer& job : *jobs) {
            co_await Job::until_ended_or_suspended(job);
            if (!job->ended()) {
                status = context.fail("not waited for: " + job_line(*job), status_suspended);
                continue;
            }
            context.take_over(*job);
            context.jobs().forget(*job);
            if (job->result.status != 0) status = job->result.status;
        }
        co_return status;
    }

  private:
    [[nodiscard]] Result<std::vector<Jobs::Pointer>> chosen(const Jobs& jobs) const {
        if (names_.empty()) return jobs.numbered();
        std::vector<Jobs::Pointer> chosen;
        for (const std::string& name : names_) {
            const Result<Jobs::Pointer> job = jobs.find(name);
            if (!job) return job.error();
            chosen.push_back(*job);
        }
        return chosen;
    }

    std::vector<std::string> names_;
};

// By number, name or name with SIG before it; 0 if it is none of these.
int signal_number(std::string text) {
    int number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    if (read.ec == std::errc() && read.ptr == text.data() + text.size())
        return number > 0 && number < NSIG ? number : 0;
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    if (text.starts_with("SIG")) text.erase(0, 3);
    for (number = 1; number < NSIG; ++number) {
        const char* name = sigabbrev_np(number);
        if (name && text == name) return number;
    }
    return 0;
}

class KillCommand final : public Builtin {
  public:
    void declare(OptionSet& options) override {
        options.description("Send jobs a signal: TERM unless told, followed by KILL where it is not heeded");
        options.footer("kill [-SIGNAL] %N ...: the signal by name or number: kill -USR1 %1, kill -9 %2.");
        options.prefix_command();
        options.allow_extras();
        options_ = &options;
    }

  protected:
    Task<int> run_in_shell(ShellContext& context) override {
        std::vector<std::string> names = options_->remaining();
        int number = SIGTERM;
        if (!names.empty() && names[0].starts_with("-")) {
            number = signal_number(names[0].substr(1));
            if (number == 0) co_return context.fail("expected a signal, not " + names[0], status_usage);
            names.erase(names.begin());
        }
        if (names.empty()) co_return context.fail("expected a job, like %1", status_usage);
        int status = 0;
        for (const std::string& name : names) {
            const std::string wrong = send(context.jobs(), name, number);
            if (!wrong.empty()) status = context.fail(wrong);
        }
        co_return status;
    }

  private:
    // Why it was not sent, or nothing.
    static std::string send(const Jobs& jobs, const std::string& name, int number) {
        const Result<Jobs::Pointer> job = jobs.find(name);
        if (!job) return job.error().message();
        if ((*job)->ended()) return "it has ended: " + job_line(**job);
        // Processes of the hosts heed no SIGTSTP: no shell of a terminal is over them.
        if ((*job)->signal(number == SIGTSTP ? SIGSTOP : number)) return "";
        return "only HUP, INT, TERM and KILL can be sent to " + job_line(**job);
    }

    OptionSet* options_ = nullptr;
};

}  // namespace

std::vector<CommandEntry> job_commands() {
    return {{"jobs", "list what runs in the background", make_command<JobsCommand>},
            {"fg", "bring a job to the foreground", make_command<FgCommand>},
            {"bg", "continue a suspended job in the background", make_command<BgCommand>},
            {"wait", "wait for jobs", make_command<WaitCommand>},
            {"kill", "send a signal to jobs", make_command<KillCommand>}};
}

}  // namespace trellis
