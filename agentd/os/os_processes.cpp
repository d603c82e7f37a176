#include "agentd/os/os_processes.hpp"

#include "agentd/os/fd_stream.hpp"

#include <cerrno>
#include <cstring>

namespace trellis {

namespace {

class PipedProcess final : public Process {
  public:
    PipedProcess(const Executor& executor, std::unique_ptr<Child> child, FileDescriptor out,
                 FileDescriptor err)
        : child_(std::move(child)), out_(executor, std::move(out)), err_(executor, std::move(err)) {}

    Task<std::string> read(Output output) override {
        FdStream& stream = output == Output::out ? out_ : err_;
        Result<std::string> bytes = co_await stream.read();
        if (!bytes) co_return std::string();
        co_return std::move(*bytes);
    }
    Task<ExitStatus> wait() override { return child_->wait(); }
    void signal(int number) override { child_->signal(number); }

  private:
    std::unique_ptr<Child> child_;
    FdStream out_;
    FdStream err_;
};

}  // namespace

Result<std::unique_ptr<Process>> OsProcesses::start(const ProcessSpec& spec) {
    DescriptorPair out = make_pipe();
    DescriptorPair err = make_pipe();
    if (!out.first.open() || !err.first.open())
        return Failure{FailureKind::cannot_start, "start process", "", std::strerror(errno)};
    ChildSpec child_spec{spec, -1, out.second.get(), err.second.get()};
    Result<std::unique_ptr<Child>> child = children_.start(child_spec);
    if (!child) return child.error();
    return std::unique_ptr<Process>(std::make_unique<PipedProcess>(
        executor_, std::move(*child), std::move(out.first), std::move(err.first)));
}

}  // namespace trellis
