// The shell at a terminal: a child process edits lines on a pseudo-terminal, over a cluster that is not
// there.
#include "shell/terminal/interactive.hpp"
#include "shell/terminal/terminal.hpp"
#include "tests/scenario/shell_fixture.hpp"

#include <chrono>
#include <cstdlib>
#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

namespace trellis {
namespace {

using testing::HasSubstr;

class ShellTerminal : public testing::Test {
  public:
    ShellTerminal() { std::filesystem::create_directories(directory_); }
    ~ShellTerminal() override {
        if (child_ > 0) {
            ::kill(child_, SIGKILL);
            ::waitpid(child_, nullptr, 0);
        }
        if (terminal_ >= 0) ::close(terminal_);
        std::error_code ignored;  // a file may be going away by itself
        std::filesystem::remove_all(directory_, ignored);
    }

    void start() {
        const winsize size{24, 80, 0, 0};
        child_ = ::forkpty(&terminal_, nullptr, nullptr, &size);
        ASSERT_GE(child_, 0);
        if (child_ == 0) ::_exit(child());
        seen_.clear();
    }
    void type(const std::string& text) {
        ASSERT_EQ(::write(terminal_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
    }
    // What the terminal shows from now on until the text has come (or 10 s have passed).
    std::string until(const std::string& text) {
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
        while (seen_.find(text) == std::string::npos && std::chrono::steady_clock::now() < deadline)
            if (!read_more()) break;
        EXPECT_THAT(seen_, HasSubstr(text));
        const std::size_t end = std::min(seen_.size(), seen_.find(text) + text.size());
        std::string shown = seen_.substr(0, end);
        seen_.erase(0, end);
        return shown;
    }
    int exit_status() {
        while (read_more()) {
        }
        int status = 0;
        ::waitpid(std::exchange(child_, -1), &status, 0);
        ::close(std::exchange(terminal_, -1));
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }
    std::string history_file() { return (directory_ / "state" / "history").string(); }

    int terminal_ = -1;

  private:
    bool read_more() {
        pollfd ready{terminal_, POLLIN, 0};
        if (::poll(&ready, 1, 10000) <= 0) return false;
        char buffer[4096];
        const ssize_t got = ::read(terminal_, buffer, sizeof buffer);
        if (got > 0) seen_.append(buffer, static_cast<std::size_t>(got));
        return got > 0;
    }

    // SIGUSR1 makes host a0 lost, as an agent far away might at any time.
    int child() {
        ::setenv("TERM", "xterm", 1);
        ::setenv("INPUTRC", "/dev/null", 1);
        asio::io_context io{1};
        FakeCluster cluster{io.get_executor()};
        SteadyClock clock;
        Session session{cluster, clock, [] { return 1; }, {}};
        Seat seat{session};
        HostNews news;
        Console console{io.get_executor(), STDOUT_FILENO, STDERR_FILENO};
        Interrupts interrupts{io.get_executor()};
        Interpreter interpreter{session, seat, console, interrupts, builtin_commands()};
        Terminal terminal{io.get_executor(), console, interrupts, history_file()};
        cluster.shell = [](const std::string& host, const ExecRequest& request) {
            FakeAnswer answer{host + "\n", "", {}, std::nullopt};
            if (request.command == "hang") answer.hangs = CancelLevel::interrupt;
            if (request.command == "dead") answer.hangs = CancelLevel::kill;
            if (request.command == "red") answer.out = "\033[31mred\n";
            return answer;
        };
        asio::signal_set lose(io, SIGUSR1);
        lose.async_wait([&](const boost::system::error_code& error, int) {
            if (!error) cluster.lose("a0");
        });
        int status = 99;
        asio::co_spawn(io, run_interactive(interpreter, terminal, console, session, seat, news),
                       [&](const std::exception_ptr& error, int ended) {
                           status = error ? 98 : ended;
                           io.stop();
                       });
        io.run();
        return status;
    }

    std::filesystem::path directory_ =
        std::filesystem::temp_directory_path() / ("trellis-terminal-test-" + std::to_string(::getpid()));
    std::string seen_;

  protected:
    pid_t child_ = -1;
};

TEST_F(ShellTerminal, ThePromptCountsHosts) {
    start();
    until("trellis[0/0/0]> ");
    type("explore a[0-3]\n");
    until("reached 4 of 4 hosts");
    until("trellis[4/4/4]> ");
    type("smask a[1-2]\n");
    until("trellis[4/2/4]> ");
    type("quit 7\n");
    EXPECT_EQ(exit_status(), 7);
}

TEST_F(ShellTerminal, EndOfFileQuits) {
    start();
    until("> ");
    type("\x04");
    EXPECT_EQ(exit_status(), 0);
}

TEST_F(ShellTerminal, CtrlCClearsTheLine) {
    start();
    until("trellis[0/0/0]> ");
    type("explore a0");
    until("explore a0");
    type("\x03");
    until("^C");
    until("trellis[0/0/0]> ");
    type("e 'open\n");
    until("h> ");
    type("\x03");
    until("trellis[0/0/0]> ");
    type("quit\n");
    EXPECT_EQ(exit_status(), 0);
}

TEST_F(ShellTerminal, CtrlCEndsARunningCommandAndKeepsTheSession) {
    start();
    type("explore a[0-1]\n");
    until("trellis[2/2/2]> ");
    type("e hang\n");
    until("a1: a1");
    type("\x03");
    until("interrupting");
    until("a[0-1]: signal 2 (Interrupt)");
    until("trellis[0/2/2]> ");
    type("e dead\n");
    until("a1: a1");
    type("\x03");
    until("interrupting");
    type("\x03");
    until("a[0-1]: cancelled");
    until("trellis[0/2/2]> ");
    type("quit\n");
    EXPECT_EQ(exit_status(), 0);
}

TEST_F(ShellTerminal, NewsComeAboveTheLineThatIsEdited) {
    start();
    type("explore a[0-1]\n");
    until("trellis[2/2/2]> ");
    type("e host");
    until("e host");
    ::kill(child_, SIGUSR1);
    const std::string shown = until("a0: lost: gone");
    EXPECT_THAT(shown, HasSubstr("\033[K"));  // the line was taken away first
    until("trellis[1/1/1]> e host");
    type("name\n");
    until("a1: a1");
    type("quit\n");
    EXPECT_EQ(exit_status(), 0);
}

TEST_F(ShellTerminal, TabCompletes) {
    start();
    type("explo\ta[0-1] b7\n");
    until("trellis[3/3/3]> ");
    type("smask b\t\n");
    until("smask b7");
    until("trellis[3/1/3]> ");
    type("explore --ti\t");
    until("--timeout ");
    type("\x03");
    until("> ");
    type("quit\n");
    EXPECT_EQ(exit_status(), 0);
}

TEST_F(ShellTerminal, HistoryIsKeptForItsOwnerAlone) {
    start();
    type("explore a7\n");
    until("trellis[1/1/1]> ");
    type("quit\n");
    EXPECT_EQ(exit_status(), 0);
    struct stat status {};
    ASSERT_EQ(::stat(history_file().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600U);
    start();
    until("> ");
    type("\033[A\033[A");
    until("explore a7");
    type("\n");
    until("trellis[1/1/1]> ");
    type("quit\n");
    EXPECT_EQ(exit_status(), 0);
}

TEST_F(ShellTerminal, ControlCharactersOfHostsAreVisible) {
    start();
    type("explore a0\n");
    until("trellis[1/1/1]> ");
    type("e red\n");
    until("a0: ^[[31mred");
    type("e --raw red\n");
    until("a0: \033[31mred");
    type("quit\n");
    EXPECT_EQ(exit_status(), 0);
}

TEST_F(ShellTerminal, ResizingKeepsTheLine) {
    start();
    until("trellis[0/0/0]> ");
    type("explore ");
    until("explore ");
    const winsize size{24, 40, 0, 0};
    ASSERT_EQ(::ioctl(terminal_, TIOCSWINSZ, &size), 0);
    type("a0\n");
    until("trellis[1/1/1]> ");
    type("quit\n");
    EXPECT_EQ(exit_status(), 0);
}

TEST_F(ShellTerminal, CtrlZDoesNotStopTheSession) {
    start();
    until("> ");
    type("\x1a");
    type("explore a0\n");
    until("trellis[1/1/1]> ");
    type("quit\n");
    EXPECT_EQ(exit_status(), 0);
}

TEST_F(ShellTerminal, CtrlZSuspendsTheCommandAndFgContinuesIt) {
    start();
    type("explore a[0-1]\n");
    until("trellis[2/2/2]> ");
    type("e hang\n");
    until("a1: a1");
    type("\x1a");
    until("[1] suspended (2 of 2 hosts)  e hang");
    until("trellis[2/2/2]> ");
    type("jobs\n");
    until("[1] suspended (2 of 2 hosts)  e hang");
    type("fg\n");
    until("fg");
    until("e hang");
    type("\x03");
    until("a[0-1]: signal 2 (Interrupt)");
    until("trellis[0/2/2]> ");
    type("quit\n");
    EXPECT_EQ(exit_status(), 0);
}

TEST_F(ShellTerminal, OutputOfTheBackgroundComesAboveTheLineThatIsEdited) {
    start();
    type("explore a[0-1]\n");
    until("trellis[2/2/2]> ");
    type("e hostname | (sleep 0.5; sort -r) &\n");
    until("[1] running");
    until("trellis[2/2/2]> ");
    type("e host");
    until("e host");
    const std::string shown = until("a1: a1");
    EXPECT_THAT(shown, HasSubstr("\033[K"));  // the line was taken away first
    until("a0: a0");
    std::string after = until("trellis[2/2/2]> e host");
    type("name\n");
    after += until("a1: a1");
    after += until("trellis[2/2/2]> ");
    const std::string done = "[1] done (2 of 2 hosts)  e hostname | (sleep 0.5; sort -r)";
    if (after.find(done) == std::string::npos) until(done);
    type("\033[A");
    until("e hostname");
    type("\x03");
    until("> ");
    type("quit\n");
    EXPECT_EQ(exit_status(), 0);
}

TEST_F(ShellTerminal, AJobThatEndsIsToldAboveTheLineThatIsEdited) {
    start();
    type("explore a[0-1]\n");
    until("trellis[2/2/2]> ");
    type("e hostname | (sleep 0.3; wc -l) &\n");
    until("[1] running");
    type("e host");
    until("[1] done (2 of 2 hosts)  e hostname | (sleep 0.3; wc -l)");
    until("trellis[2/2/2]> e host");
    type("name\n");
    until("a1: a1");
    type("quit\n");
    EXPECT_EQ(exit_status(), 0);
}

TEST_F(ShellTerminal, QuittingEndsTheJobs) {
    start();
    type("explore a[0-1]\n");
    until("trellis[2/2/2]> ");
    type("e hang &\n");
    until("[1] running (2 of 2 hosts)  e hang");
    type("e hang\n");
    until("a1: a1");
    type("\x1a");
    until("[2] suspended");
    type("quit 5\n");
    until("ending [1] running (2 of 2 hosts)  e hang");
    until("ending [2] suspended (2 of 2 hosts)  e hang");
    EXPECT_EQ(exit_status(), 5);
}

TEST_F(ShellTerminal, LocalProgramsHaveTheTerminal) {
    start();
    until("> ");
    type("!read line; echo got $line; exit 3\n");
    until("exit 3");
    ::usleep(200000);
    type("\x1a");  // nobody could continue the program
    until("^Z");
    type("hello\n");
    until("got hello");
    type("!sleep 100\n");
    until("!sleep 100");
    ::usleep(300000);
    type("\x03");
    until("trellis[0/0/0]> ");
    type("quit\n");
    EXPECT_EQ(exit_status(), 0);
}

}  // namespace
}  // namespace trellis
