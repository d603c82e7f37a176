#include "shell/running/sink.hpp"

#include "shell/terminal/console.hpp"

#include <array>
#include <fcntl.h>
#include <pty.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

namespace trellis {
namespace {

// Two ends of a pipe, a pair of sockets, or a terminal: what is written to `in` is read from `out`.
class Ends {
  public:
    enum class Kind { pipe, sockets, terminal };
    explicit Ends(Kind kind) {
        std::array<int, 2> fds{-1, -1};
        int failed = 0;
        if (kind == Kind::pipe) failed = ::pipe(fds.data());
        if (kind == Kind::sockets) failed = ::socketpair(AF_UNIX, SOCK_STREAM, 0, fds.data());
        if (kind == Kind::terminal) failed = ::openpty(&fds[0], &fds[1], nullptr, nullptr, nullptr);
        EXPECT_EQ(failed, 0);
        out = fds[0];
        in = fds[1];
        ::fcntl(out, F_SETFL, ::fcntl(out, F_GETFL) | O_NONBLOCK);
    }
    ~Ends() {
        ::close(in);
        ::close(out);
    }
    Ends(const Ends&) = delete;
    Ends& operator=(const Ends&) = delete;

    // What there is to read.
    [[nodiscard]] std::string read() const {
        std::string text;
        std::array<char, 4096> buffer{};
        for (ssize_t got = 0; (got = ::read(out, buffer.data(), buffer.size())) > 0;)
            text.append(buffer.data(), static_cast<std::size_t>(got));
        return text;
    }
    // Until nothing more fits.
    void fill() const {
        const int again = ::open(("/proc/self/fd/" + std::to_string(in)).c_str(), O_WRONLY | O_NONBLOCK);
        while (::write(again, "f", 1) > 0) {
        }
        ::close(again);
    }

    int in = -1, out = -1;
};

class SinkTest : public testing::Test {
  protected:
    void start(Task<Result<void>> writing) {
        asio::co_spawn(io_, std::move(writing),
                       [this](const std::exception_ptr& error, Result<void> written) {
                           EXPECT_FALSE(error);
                           EXPECT_TRUE(written);
                           ended_ = true;
                       });
        poll();
    }
    // Would stand still if anything waited without the event loop.
    void poll() {
        io_.restart();
        io_.poll();
    }

    asio::io_context io_{1};
    bool ended_ = false;
};

TEST_F(SinkTest, ASlowReaderHoldsUpNothingElse) {
    for (const auto kind : {Ends::Kind::pipe, Ends::Kind::sockets}) {
        const Ends ends(kind);
        const int flags = ::fcntl(ends.in, F_GETFL);
        const auto sink = open_own_output(io_.get_executor(), ends.in);
        ended_ = false;
        start(sink->write(std::string(2000000, 'x')));
        EXPECT_FALSE(ended_);
        EXPECT_FALSE(sink->ready());
        std::size_t got = 0;
        while (!ended_) {
            got += ends.read().size();
            io_.restart();
            io_.run_one();
        }
        EXPECT_EQ(got + ends.read().size(), 2000000U);
        EXPECT_EQ(::fcntl(ends.in, F_GETFL), flags);
    }
}

TEST_F(SinkTest, MessagesWaitForTheirReader) {
    const Ends ends(Ends::Kind::pipe);
    ends.fill();
    {
        Console console(io_.get_executor(), ends.in, ends.in);
        console.say("one");
        console.say("two");
        poll();
        EXPECT_EQ(ends.read().find_first_not_of('f'), std::string::npos);
        io_.restart();
        io_.run_one();
        poll();
        EXPECT_EQ(ends.read(), "one\ntwo\n");
        ends.fill();
        console.say("three");
        EXPECT_EQ(ends.read().find_first_not_of('f'), std::string::npos);
    }
    EXPECT_EQ(ends.read(), "three\n");
}

TEST_F(SinkTest, AStoppedTerminalHoldsUpNothing) {
    const Ends ends(Ends::Kind::terminal);
    Console console(io_.get_executor(), ends.in, ends.in);
    std::string above;
    ::tcflow(ends.in, TCOOFF);
    EXPECT_FALSE(console.out().ready());
    console.say("said");
    console.progress("progress");
    console.print_above_with([&](const std::string& text) { above += text; });
    start(console.write(console.out(), "printed"));
    EXPECT_FALSE(ended_);
    EXPECT_EQ(above + ends.read(), "");
    ::tcflow(ends.in, TCOON);
    while (!ended_ || above.size() < 13) {
        io_.restart();
        io_.run_one();
    }
    EXPECT_EQ(above.size(), 13U);
    EXPECT_NE(above.find("said\n"), std::string::npos);
    EXPECT_NE(above.find("printed\n"), std::string::npos);
}

}  // namespace
}  // namespace trellis
