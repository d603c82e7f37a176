#include "shell/running/local_program.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include <boost/asio/use_awaitable.hpp>

namespace trellis {
namespace {

// What posix_spawn is to do before the program starts: signals as a program expects them, and descriptors.
class SpawnSettings {
  public:
    SpawnSettings(const std::map<int, int>& descriptors, LocalProgram::Place place) {
        posix_spawnattr_init(&attributes_);
        posix_spawn_file_actions_init(&actions_);
        sigset_t all, none;
        sigfillset(&all);
        sigemptyset(&none);
        // At a prompt nothing may stop the program: nobody could continue it.
        for (const int number : {SIGTSTP, SIGTTIN, SIGTTOU}) {
            sigdelset(&all, number);
            if (caught(number)) sigaddset(&none, number);
        }
        posix_spawnattr_setsigdefault(&attributes_, &all);
        posix_spawnattr_setsigmask(&attributes_, &none);
        const int group = place == LocalProgram::Place::background ? POSIX_SPAWN_SETPGROUP : 0;
        posix_spawnattr_setflags(&attributes_,
                                 static_cast<short>(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | group));
        for (const auto& [number, ours] : descriptors)
            posix_spawn_file_actions_adddup2(&actions_, ours, number);
    }
    ~SpawnSettings() {
        posix_spawn_file_actions_destroy(&actions_);
        posix_spawnattr_destroy(&attributes_);
    }
    SpawnSettings(const SpawnSettings&) = delete;
    SpawnSettings& operator=(const SpawnSettings&) = delete;
    [[nodiscard]] const posix_spawnattr_t* attributes() const { return &attributes_; }
    [[nodiscard]] const posix_spawn_file_actions_t* actions() const { return &actions_; }

  private:
    // A handler does not outlive the start of a program, as SIG_IGN would.
    static bool caught(int number) {
        struct sigaction action {};
        return ::sigaction(number, nullptr, &action) == 0 && action.sa_handler != SIG_DFL &&
               action.sa_handler != SIG_IGN;
    }

    posix_spawnattr_t attributes_{};
    posix_spawn_file_actions_t actions_{};
};

Failure cannot_start(int error) {
    return Failure{FailureKind::cannot_start, "", "",
                   std::string("cannot run /bin/sh: ") + std::strerror(error)};
}

}  // namespace

LocalProgram::LocalProgram(const Executor& executor, Place place, int pid, int pid_descriptor)
    : place_(place), pid_(pid), ended_(executor, pid_descriptor) {}

Result<LocalProgram> LocalProgram::start(const Executor& executor, const std::string& command, int input,
                                         int output, Place place) {
    std::map<int, int> descriptors;
    if (input >= 0) descriptors[STDIN_FILENO] = input;
    if (output >= 0) descriptors[STDOUT_FILENO] = output;
    return start(executor, command, descriptors, place);
}

Result<LocalProgram> LocalProgram::start(const Executor& executor, const std::string& command,
                                         const std::map<int, int>& descriptors, Place place) {
    const SpawnSettings settings(descriptors, place);
    std::string shell = "sh", flag = "-c", text = command;
    char* argv[] = {shell.data(), flag.data(), text.data(), nullptr};
    pid_t pid = 0;
    const int error = posix_spawn(&pid, "/bin/sh", settings.actions(), settings.attributes(), argv, environ);
    if (error != 0) return cannot_start(error);
    const auto descriptor = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
    if (descriptor < 0) return cannot_start(errno);
    return LocalProgram(executor, place, pid, descriptor);
}

Task<int> LocalProgram::wait() {
    co_await ended_.async_wait(asio::posix::descriptor_base::wait_read, asio::use_awaitable);
    int status = 0;
    ::waitpid(std::exchange(pid_, 0), &status, 0);
    co_return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void LocalProgram::signal(int number) const {
    if (place_ == Place::background && pid_ > 0) ::kill(-pid_, number);
}

}  // namespace trellis
