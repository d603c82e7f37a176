#include "agentd/os/guardian.hpp"

#include "agentd/os/alive_test.hpp"
#include "agentd/os/file_descriptor.hpp"

#include <csignal>
#include <cstdlib>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace trellis {
namespace {

bool gone_soon(pid_t pid) {
    for (int i = 0; i < 200 && alive(pid); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return !alive(pid);
}

constexpr std::size_t how_many = 6;  // an agent and its jobs

// An agent with a job that has a session of its own, a job whose parent is gone, one that ignores TERM, one
// that is stopped, and one that made itself a daemon. Each writes its number to the pipe; then the agent ends
// in `how`.
class Guarded {
  public:
    explicit Guarded(std::function<int()> how) {
        guardian_ = ::fork();
        if (guardian_ != 0) {
            pipe_.second.reset();
            return;
        }
        const int out = pipe_.second.get();
        const int status = run_guarded([&] {
            report(out);
            ::dup2(out, 1);
            if (std::system("setsid sh -c 'echo $$; exec sleep 100' & (sleep 100 & echo $!) ; "
                            "sh -c 'trap \"\" TERM; echo $$; sleep 100' & sh -c 'echo $$; kill -STOP $$' &"
                            "setsid sh -c '(nohup sleep 100 >/dev/null 2>&1 & echo $!) &'") != 0)
                ::_exit(9);
            return how();
        });
        ::_exit(status);
    }
    // Of the agent and its jobs.
    std::vector<pid_t> numbers() {
        std::vector<pid_t> result;
        std::string text;
        char byte = 0;
        while (result.size() < how_many && ::read(pipe_.first.get(), &byte, 1) == 1) {
            if (byte != '\n') {
                text += byte;
                continue;
            }
            result.push_back(std::stoi(text));
            text.clear();
        }
        return result;
    }
    // Whether all ends of the agent's files are closed.
    bool silent() {
        char byte = 0;
        return ::read(pipe_.first.get(), &byte, 1) == 0;
    }
    int status() const {
        int status = 0;
        ::waitpid(guardian_, &status, 0);
        return status;
    }
    [[nodiscard]] pid_t guardian() const { return guardian_; }

  private:
    static void report(int out) {
        const std::string line = std::to_string(::getpid()) + "\n";
        if (::write(out, line.data(), line.size()) < 0) ::_exit(9);
    }
    DescriptorPair pipe_ = make_pipe();
    pid_t guardian_ = -1;
};

TEST(Guardian, KillsWhatAnEndedAgentLeavesBehind) {
    Guarded guarded([] {
        ::usleep(100'000);
        return 5;
    });
    const std::vector<pid_t> numbers = guarded.numbers();
    ASSERT_EQ(numbers.size(), how_many);
    const int status = guarded.status();
    EXPECT_EQ(WEXITSTATUS(status), 5);
    for (const pid_t pid : numbers)
        EXPECT_FALSE(alive(pid));
    EXPECT_TRUE(guarded.silent());
}

TEST(Guardian, KillsWhatAKilledAgentLeavesBehind) {
    Guarded guarded([] { return ::pause(); });
    const std::vector<pid_t> numbers = guarded.numbers();
    ASSERT_EQ(numbers.size(), how_many);
    ::kill(numbers[0], SIGKILL);
    EXPECT_EQ(WEXITSTATUS(guarded.status()), 128 + SIGKILL);
    for (const pid_t pid : numbers)
        EXPECT_FALSE(alive(pid));
}

TEST(Guardian, PassesTermOn) {
    Guarded guarded([] { return ::pause(); });
    ASSERT_EQ(guarded.numbers().size(), how_many);
    ::kill(guarded.guardian(), SIGTERM);
    EXPECT_EQ(WEXITSTATUS(guarded.status()), 128 + SIGTERM);
}

TEST(Guardian, AnAgentDoesNotOutliveItsGuardian) {
    Guarded guarded([] { return ::pause(); });
    const std::vector<pid_t> numbers = guarded.numbers();
    ASSERT_EQ(numbers.size(), how_many);
    ::kill(guarded.guardian(), SIGKILL);
    guarded.status();
    EXPECT_TRUE(gone_soon(numbers[0]));
    for (const pid_t pid : numbers)
        ::kill(pid, SIGKILL);
}

}  // namespace
}  // namespace trellis
