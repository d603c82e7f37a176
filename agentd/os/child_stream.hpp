// ChildStream: a ByteStream to a child process (the ssh program, a local agent) that belongs to it. Until
// keep() destroying it kills the child; afterwards the child lives on and ends when it finds its input
// closed.
#pragma once

#include "trellis/byte_stream.hpp"

#include "agentd/os/children.hpp"
#include "agentd/os/fd_stream.hpp"

#include <memory>
#include <string>

namespace trellis {

class ChildStream : public ByteStream {
  public:
    // Starts the program with the stream as its input and output, its standard error collected.
    static Result<std::unique_ptr<ChildStream>> start(const Executor& executor, Children& children,
                                                      ProcessSpec process);
    ~ChildStream() override;
    Task<Result<std::string>> read() override { return stream_.read(); }
    Task<Result<void>> write(std::string bytes) override { return stream_.write(std::move(bytes)); }
    void close() override { stream_.close(); }

    void keep() { child_->disown(); }
    Task<ExitStatus> wait() { return child_->wait(); }
    // The last part of what the child has written to its standard error.
    [[nodiscard]] std::string complaint() const;

  private:
    struct Errors;
    ChildStream(const Executor& executor, std::unique_ptr<Child> child, FileDescriptor both,
                FileDescriptor errors);
    static Task<void> collect(std::shared_ptr<Errors> errors);

    std::unique_ptr<Child> child_;
    FdStream stream_;
    std::shared_ptr<Errors> errors_;
};

}  // namespace trellis
