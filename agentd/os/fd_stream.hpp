// FdStream: a ByteStream over open files: one for both directions (a socket), or a reading and a writing one
// (the pipes of a child, standard input and output). Owns them and makes them non-blocking; a coroutine that
// waits in read() or write() gets a Failure when the stream is closed or destroyed. From the first one on the
// process ignores SIGPIPE: a reader that is gone is a Failure of write().
#pragma once

#include "trellis/byte_stream.hpp"

#include "agentd/os/file_descriptor.hpp"

#include <memory>

namespace trellis {

class FdStream : public ByteStream {
  public:
    FdStream(const Executor& executor, FileDescriptor both);
    FdStream(const Executor& executor, FileDescriptor input, FileDescriptor output);
    ~FdStream() override;
    Task<Result<std::string>> read() override;
    Task<Result<void>> write(std::string bytes) override;
    std::size_t write_now(std::string_view bytes) override;
    void close() override;

  private:
    struct State;
    std::shared_ptr<State> state_;
};

}  // namespace trellis
