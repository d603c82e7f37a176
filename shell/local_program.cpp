#include "shell/local_program.hpp"

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
    SpawnSettings(int input, int output) {
        posix_spawnattr_init(&attributes_);
        posix_spawn_file_actions_init(&actions_);
        sigset_t all, none;
        sigfillset(&all);
        // At a prompt these are ignored: nobody could continue a program that has stopped.
        for (const int number : {SIGTSTP, SIGTTIN, SIGTTOU})
            sigdelset(&all, number);
        sigemptyset(&none);
        posix_spawnattr_setsigdefault(&attributes_, &all);
        posix_spawnattr_setsigmask(&attributes_, &none);
        posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
        if (input >= 0) posix_spawn_file_actions_adddup2(&actions_, input, STDIN_FILENO);
        if (output >= 0) posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
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
    posix_spawnattr_t attributes_{};
    posix_spawn_file_actions_t actions_{};
};

Failure cannot_start(int error) {
    return Failure{FailureKind::cannot_start, "", "",
                   std::string("cannot run /bin/sh: ") + std::strerror(error)};
}

}  // namespace

LocalProgram::LocalProgram(const Executor& executor, int pid, int pid_descriptor)
    : pid_(pid), ended_(executor, pid_descriptor) {}

Result<LocalProgram> LocalProgram::start(const Executor& executor, const std::string& command, int input,
                                         int output) {
    const SpawnSettings settings(input, output);
    std::string shell = "sh", flag = "-c", text = command;
    char* argv[] = {shell.data(), flag.data(), text.data(), nullptr};
    pid_t pid = 0;
    const int error = posix_spawn(&pid, "/bin/sh", settings.actions(), settings.attributes(), argv, environ);
    if (error != 0) return cannot_start(error);
    const auto descriptor = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
    if (descriptor < 0) return cannot_start(errno);
    return LocalProgram(executor, pid, descriptor);
}

Task<int> LocalProgram::wait() {
    co_await ended_.async_wait(asio::posix::descriptor_base::wait_read, asio::use_awaitable);
    int status = 0;
    ::waitpid(pid_, &status, 0);
    co_return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace trellis
