#include "plugins/bcast/piped_command.hpp"

#include "agentd/core/crew.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace trellis::plugins::bcast {
namespace {

constexpr std::size_t most_of_error = 200;  // of an error

struct Running {
    std::unique_ptr<Process> process;
    std::string errors;
    int open_outputs = 2;
    std::function<Task<Result<std::string>>()> next;
};

Task<void> drain(Running& running, int output, Signal& ended) {
    while (true) {
        const std::string bytes = co_await running.process->read(output);
        if (bytes.empty()) break;
        if (output == Process::err && running.errors.size() < most_of_error) running.errors += bytes;
    }
    --running.open_outputs;
    ended.notify();
}

// A command may stop reading before the end, as head does.
Task<Result<void>> feed(Running& running) {
    while (true) {
        Result<std::string> bytes = co_await running.next();
        if (!bytes) co_return bytes.error();
        if (bytes->empty()) break;
        const Result<void> written = co_await running.process->write(0, std::move(*bytes));
        if (!written) break;
    }
    running.process->close(0);
    co_return Result<void>();
}

Task<Result<void>> attend(Running& running, Signal& ended) {
    const Result<void> fed = co_await feed(running);
    if (!fed) co_return fed;
    while (running.open_outputs > 0)
        co_await ended.wait();
    const ExitStatus status = co_await running.process->wait();
    if (!status.signalled && status.code == 0) co_return Result<void>();
    const std::string words = running.errors.substr(0, std::min(running.errors.find('\n'), most_of_error));
    co_return unavailable(std::string("the command ended with ") +
                          (status.signalled ? "signal " : "status ") + std::to_string(status.code) +
                          (words.empty() ? "" : ": " + words));
}

}  // namespace

Task<Result<void>> run_command(Processes& processes, Executor executor, ProcessSpec spec,
                               std::function<Task<Result<std::string>>()> next) {
    auto process = processes.start(spec);
    if (!process) co_return process.error();
    Running running{std::move(*process), {}, 2, std::move(next)};
    Signal ended(executor);
    Crew crew(executor);
    Task<Result<void>> attended = attend(running, ended);
    crew.add(drain(running, Process::out, ended));
    crew.add(drain(running, Process::err, ended));
    co_return co_await crew.run(std::move(attended));
}

}  // namespace trellis::plugins::bcast
