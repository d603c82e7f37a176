#include "agentd/os/os_processes.hpp"

#include "agentd/os/fd_stream.hpp"
#include "agentd/os/pseudo_terminal.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <utility>
#include <vector>

namespace trellis {

namespace {

Task<std::string> read_from(FdStream& stream) {
    Result<std::string> bytes = co_await stream.read();
    if (!bytes) co_return std::string();
    co_return std::move(*bytes);
}

class PipedProcess final : public Process {
  public:
    PipedProcess(const Executor& executor, std::unique_ptr<Child> child, std::map<int, FileDescriptor>&& ours)
        : child_(std::move(child)) {
        for (auto& [descriptor, end] : ours)
            streams_.try_emplace(descriptor, executor, std::move(end));
    }

    Task<std::string> read(int output) override { return read_from(streams_.at(output)); }
    Task<Result<void>> write(int input, std::string bytes) override {
        return streams_.at(input).write(std::move(bytes));
    }
    void close(int descriptor) override {
        const auto stream = streams_.find(descriptor);
        if (stream != streams_.end()) stream->second.close();
    }
    void resize(TerminalSize) override {}
    Task<ExitStatus> wait() override { return child_->wait(); }
    void signal(int number) override { child_->signal(number); }

  private:
    std::unique_ptr<Child> child_;
    std::map<int, FdStream> streams_;  // by the child's descriptor
};

class TerminalProcess final : public Process {
  public:
    TerminalProcess(const Executor& executor, std::unique_ptr<Child> child, FileDescriptor end)
        : child_(std::move(child)), end_(end.get()), stream_(executor, std::move(end)) {}

    Task<std::string> read(int output) override {
        if (output == out) co_return co_await read_from(stream_);
        co_return std::string();
    }
    Task<Result<void>> write(int, std::string bytes) override { return stream_.write(std::move(bytes)); }
    void close(int) override {}  // a terminal has no end but that of its programs
    void resize(TerminalSize size) override { resize_terminal(end_, size); }
    Task<ExitStatus> wait() override { return child_->wait(); }
    void signal(int number) override { child_->signal(number); }

  private:
    std::unique_ptr<Child> child_;
    int end_;  // of the stream, which is closed last
    FdStream stream_;
};

// The ends of pipes to a child, while it is started.
class Pipes {
  public:
    // False, with errno, if the process has no descriptors left.
    bool add(int descriptor, bool input) {
        DescriptorPair ends = make_pipe();
        FileDescriptor& ours = input ? ends.second : ends.first;
        FileDescriptor& theirs = input ? ends.first : ends.second;
        if (descriptor > 2) theirs.reset(::fcntl(theirs.get(), F_DUPFD_CLOEXEC, most_descriptors));
        ours_[descriptor] = std::move(ours);
        theirs_[descriptor] = std::move(theirs);
        return ours_[descriptor].open() && theirs_[descriptor].open();
    }
    void hand_over(ChildSpec& spec) const {
        for (const auto& [descriptor, end] : theirs_) {
            if (descriptor == 0) spec.input = end.get();
            if (descriptor == 1) spec.output = end.get();
            if (descriptor == 2) spec.error = end.get();
            if (descriptor > 2) spec.further[descriptor] = end.get();
        }
    }
    [[nodiscard]] std::map<int, FileDescriptor> take() { return std::move(ours_); }

  private:
    std::map<int, FileDescriptor> ours_, theirs_;
};

}  // namespace

Result<std::unique_ptr<Process>> OsProcesses::start(const ProcessSpec& spec) {
    return spec.terminal ? start_on_terminal(spec) : start_on_pipes(spec);
}

Result<std::unique_ptr<Process>> OsProcesses::start_on_pipes(const ProcessSpec& spec) {
    Pipes pipes;
    bool open = pipes.add(Process::out, false) && pipes.add(Process::err, false);
    for (const std::int32_t output : spec.outputs)
        open = open && pipes.add(output, false);
    for (const std::int32_t input : spec.inputs)
        open = open && pipes.add(input, true);
    if (!open) return Failure{FailureKind::cannot_start, "start process", "", std::strerror(errno)};
    ChildSpec child_spec;
    child_spec.process = spec;
    pipes.hand_over(child_spec);
    Result<std::unique_ptr<Child>> child = children_.start(child_spec);
    if (!child) return child.error();
    return std::unique_ptr<Process>(
        std::make_unique<PipedProcess>(executor_, std::move(*child), pipes.take()));
}

Result<std::unique_ptr<Process>> OsProcesses::start_on_terminal(const ProcessSpec& spec) {
    Result<PseudoTerminal> terminal = open_pseudo_terminal(*spec.terminal);
    if (!terminal) return terminal.error();
    ChildSpec child_spec;
    child_spec.process = spec;
    child_spec.terminal = terminal->file;
    Result<std::unique_ptr<Child>> child = children_.start(child_spec);
    if (!child) return child.error();
    return std::unique_ptr<Process>(
        std::make_unique<TerminalProcess>(executor_, std::move(*child), std::move(terminal->end)));
}

}  // namespace trellis
