#include "agentd/os/children.hpp"

#include "agentd/os/wakeup.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <optional>
#include <spawn.h>
#include <sys/wait.h>

#include <boost/asio/signal_set.hpp>

namespace trellis {

struct Children::State : std::enable_shared_from_this<Children::State> {
    explicit State(const Executor& executor) : ended(executor), signals(executor, SIGCHLD) {}

    void watch() {
        signals.async_wait([self = weak_from_this()](const boost::system::error_code& error, int) {
            const std::shared_ptr<State> state = self.lock();
            if (error || !state) return;
            state->collect();
            state->watch();
        });
    }
    // An ended child stays a zombie until its Child is destroyed, so that nobody else gets its number.
    void collect() {
        for (auto child = running.begin(); child != running.end();) {
            const pid_t pid = child->first;
            child = reap_if_abandoned(pid) ? running.erase(child) : std::next(child);
            if (running.contains(pid)) look(pid);
        }
        ended.notify();
    }
    bool reap_if_abandoned(pid_t pid) {
        return abandoned.contains(pid) && ::waitpid(pid, nullptr, WNOHANG) != 0 && abandoned.erase(pid) > 0;
    }
    void look(pid_t pid) {
        siginfo_t info{};
        std::optional<ExitStatus>& status = running[pid];
        if (status || ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) != 0)
            return;
        if (info.si_pid == 0) return;
        status = ExitStatus{info.si_code != CLD_EXITED, info.si_status};
    }
    void abandon(pid_t pid, bool kill) {
        if (kill) ::kill(-pid, SIGKILL);
        abandoned[pid] = true;
        if (reap_if_abandoned(pid)) running.erase(pid);
    }

    std::map<pid_t, std::optional<ExitStatus>> running;
    std::map<pid_t, bool> abandoned;
    Wakeup ended;
    asio::signal_set signals;
};

namespace {

class StartedChild final : public Child {
  public:
    StartedChild(std::shared_ptr<Children::State> state, pid_t pid) : state_(std::move(state)), pid_(pid) {}
    ~StartedChild() override { state_->abandon(pid_, !disowned_); }
    Task<ExitStatus> wait() override { return wait_for(state_, pid_); }
    void signal(int number) override { ::kill(-pid_, number); }
    void disown() override { disowned_ = true; }

  private:
    static Task<ExitStatus> wait_for(std::shared_ptr<Children::State> state, pid_t pid) {
        for (;;) {
            const auto found = state->running.find(pid);
            if (found == state->running.end()) co_return ExitStatus{true, SIGKILL};
            if (found->second) co_return *found->second;
            co_await state->ended.wait();
        }
    }

    std::shared_ptr<Children::State> state_;
    pid_t pid_;
    bool disowned_ = false;
};

// What posix_spawn is told; frees itself.
class SpawnPlan {
  public:
    explicit SpawnPlan(const ChildSpec& spec) {
        posix_spawn_file_actions_init(&actions_);
        posix_spawnattr_init(&attributes_);
        if (spec.terminal.empty()) {
            const std::array<int, 3> files{spec.input, spec.output, spec.error};
            for (int target = 0; target < 3; ++target)
                redirect(files[static_cast<std::size_t>(target)], target);
        } else {
            take_terminal(spec.terminal);
        }
        add_further(spec.further);
        if (!spec.process.directory.empty())
            posix_spawn_file_actions_addchdir_np(&actions_, spec.process.directory.c_str());
        sigset_t signals;
        sigemptyset(&signals);
        posix_spawnattr_setsigmask(&attributes_, &signals);
        sigfillset(&signals);
        posix_spawnattr_setsigdefault(&attributes_, &signals);
        posix_spawnattr_setflags(&attributes_,
                                 POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    }
    SpawnPlan(const SpawnPlan&) = delete;
    SpawnPlan& operator=(const SpawnPlan&) = delete;
    ~SpawnPlan() {
        posix_spawn_file_actions_destroy(&actions_);
        posix_spawnattr_destroy(&attributes_);
    }
    // 0 or an errno value.
    int run(pid_t& pid, char* const* argv, char* const* env) const {
        return ::posix_spawnp(&pid, argv[0], &actions_, &attributes_, argv, env);
    }

  private:
    void redirect(int from, int to) {
        if (from >= 0)
            posix_spawn_file_actions_adddup2(&actions_, from, to);
        else
            posix_spawn_file_actions_addopen(&actions_, to, "/dev/null", to == 0 ? O_RDONLY : O_WRONLY, 0);
    }
    // The leader of a new session gets the terminal that it opens first.
    void take_terminal(const std::string& file) {
        posix_spawn_file_actions_addopen(&actions_, 0, file.c_str(), O_RDWR, 0);
        posix_spawn_file_actions_adddup2(&actions_, 0, 1);
        posix_spawn_file_actions_adddup2(&actions_, 0, 2);
    }
    // These, and no others.
    void add_further(const std::map<int, int>& further) {
        int next = 3;
        for (const auto& [target, from] : further) {
            for (; next < target; ++next)
                posix_spawn_file_actions_addclose(&actions_, next);
            posix_spawn_file_actions_adddup2(&actions_, from, target);
            ++next;
        }
        posix_spawn_file_actions_addclosefrom_np(&actions_, next);
    }
    posix_spawn_file_actions_t actions_{};
    posix_spawnattr_t attributes_{};
};

std::vector<char*> pointers(std::vector<std::string>& strings) {
    std::vector<char*> result;
    result.reserve(strings.size() + 1);
    for (std::string& text : strings)
        result.push_back(text.data());
    result.push_back(nullptr);
    return result;
}

std::vector<std::string> environment(const std::map<std::string, std::string>& added) {
    std::vector<std::string> result;
    for (char** entry = environ; *entry; ++entry) {
        const std::string text = *entry;
        if (!added.contains(text.substr(0, text.find('=')))) result.push_back(text);
    }
    for (const auto& [name, value] : added)
        result.emplace_back(name).append("=").append(value);
    return result;
}

Failure cannot_start(const ProcessSpec& spec, int error) {
    const bool directory = !spec.directory.empty() && ::access(spec.directory.c_str(), X_OK) != 0;
    const std::string& what = directory ? spec.directory : spec.argv.front();
    return Failure{FailureKind::cannot_start, "start process", "", what + ": " + std::strerror(error)};
}

}  // namespace

Children::Children(const Executor& executor) : state_(std::make_shared<State>(executor)) {
    state_->watch();
}

Children::~Children() {
    state_->signals.cancel();
}

Result<std::unique_ptr<Child>> Children::start(const ChildSpec& spec) {
    if (spec.process.argv.empty())
        return Failure{FailureKind::invalid, "start process", "", "no program is named"};
    std::vector<std::string> argv = spec.process.argv;
    std::vector<std::string> env = environment(spec.process.env);
    pid_t pid = 0;
    const int error = SpawnPlan(spec).run(pid, pointers(argv).data(), pointers(env).data());
    if (error != 0) return cannot_start(spec.process, error);
    state_->running.emplace(pid, std::nullopt);
    return std::unique_ptr<Child>(std::make_unique<StartedChild>(state_, pid));
}

}  // namespace trellis
