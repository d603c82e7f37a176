#include "shell/commands/remote_terminal.hpp"

#include "shell/commands/remote_command.hpp"
#include "shell/commands/remote_pipes.hpp"
#include "shell/output/output_view.hpp"
#include "shell/terminal/raw_terminal.hpp"

#include <csignal>
#include <unistd.h>
#include <utility>

#include <boost/asio/signal_set.hpp>
#include <boost/asio/this_coro.hpp>

namespace trellis {
namespace {

// Everything as it comes.
class RawView final : public OutputView {
  public:
    explicit RawView(ShellContext& context) : context_(context) {}
    Task<void> add(const std::string&, std::uint32_t, std::string bytes) override {
        co_await context_.print(std::move(bytes));
    }
    Task<void> end(const std::string&, const Outcome&) override { co_return; }
    Task<Result<void>> finish() override { co_return Result<void>{}; }

  private:
    ShellContext& context_;
};

// Tells the command whenever the window has changed.
class WindowWatch {
  public:
    WindowWatch(const Executor& executor, RemoteCommand& remote)
        : remote_(remote), changed_(executor, SIGWINCH) {
        listen();
    }

  private:
    void listen() {
        changed_.async_wait([this](const boost::system::error_code& error, int) {
            if (error) return;
            remote_.resize(terminal_size(STDIN_FILENO));
            listen();
        });
    }

    RemoteCommand& remote_;
    asio::signal_set changed_;
};

}  // namespace

Task<Result<std::map<std::string, Outcome>>> run_on_own_terminal(ShellContext& context, std::string command,
                                                                 std::optional<Duration> timeout) {
    const Executor executor = co_await asio::this_coro::executor;
    if (!context.terminal() || ::isatty(STDIN_FILENO) != 1)
        co_return unavailable("--pty needs a terminal here, too");
    Result<std::unique_ptr<Source>> keys = context.input();
    if (!keys) co_return keys.error();
    RawView view(context);
    RemotePipes pipes(context);
    pipes.down(STDIN_FILENO, std::move(*keys));
    RemoteCommand remote(context, context.selection(), view, &pipes);
    const WindowWatch watch(executor, remote);
    const RawTerminal raw(STDIN_FILENO);
    const TerminalSize size = terminal_size(STDIN_FILENO);
    co_return co_await remote.run_on_terminal(std::move(command), timeout, size);
}

}  // namespace trellis
