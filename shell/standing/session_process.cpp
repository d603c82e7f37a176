#include "shell/standing/session_process.hpp"

#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

namespace trellis {

Result<void> start_session_process(const std::vector<std::string>& arguments, int listening,
                                   const std::string& log) {
    std::vector<std::string> words{"trellis"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    argv.reserve(words.size() + 1);
    for (std::string& word : words)
        argv.push_back(word.data());
    argv.push_back(nullptr);

    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, listening, STDIN_FILENO);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    const int to_log = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW;
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, log.c_str(), to_log, 0600);
    posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);

    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t all, none;
    sigfillset(&all);
    sigemptyset(&none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);

    pid_t process = 0;
    const int error = posix_spawn(&process, "/proc/self/exe", &files, &attributes, argv.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    if (error == 0) return {};
    return Failure{FailureKind::cannot_start, "", "",
                   std::string("cannot start it: ") + std::strerror(error)};
}

}  // namespace trellis
