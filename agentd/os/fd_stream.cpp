#include "agentd/os/fd_stream.hpp"

#include "agentd/os/wakeup.hpp"

#include <array>
#include <csignal>
#include <unistd.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/write.hpp>

namespace trellis {

struct FdStream::State {
    asio::posix::stream_descriptor input;
    asio::posix::stream_descriptor output;  // not open: `input` serves both directions
    std::array<char, 65536> buffer{};

    [[nodiscard]] asio::posix::stream_descriptor& writer() { return output.is_open() ? output : input; }
};

namespace {

Failure lost(const char* operation, const boost::system::error_code& error) {
    if (error == asio::error::operation_aborted || error == asio::error::bad_descriptor)
        return Failure{FailureKind::cancelled, operation, "", "closed"};
    return Failure{FailureKind::lost, operation, "", error.message()};
}

}  // namespace

FdStream::FdStream(const Executor& executor, FileDescriptor both)
    : FdStream(executor, std::move(both), FileDescriptor()) {}

FdStream::FdStream(const Executor& executor, FileDescriptor input, FileDescriptor output)
    : state_(new State{asio::posix::stream_descriptor(executor), asio::posix::stream_descriptor(executor)}) {
    ::signal(SIGPIPE, SIG_IGN);
    set_nonblocking(input.get());
    state_->input.assign(input.get());
    (void)input.release();
    if (!output.open()) return;
    set_nonblocking(output.get());
    state_->output.assign(output.get());
    (void)output.release();
}

FdStream::~FdStream() {
    close();
}

Task<Result<std::string>> FdStream::read() {
    const std::shared_ptr<State> state = state_;
    const auto space = asio::buffer(state->buffer);
    const auto [error, size] = co_await state->input.async_read_some(space, as_result);
    if (error == asio::error::eof || error == asio::error::connection_reset) co_return std::string();
    if (error) co_return lost("read", error);
    co_return std::string(state->buffer.data(), size);
}

Task<Result<void>> FdStream::write(std::string bytes) {
    const std::shared_ptr<State> state = state_;
    const auto content = asio::buffer(bytes);
    const auto [error, size] = co_await asio::async_write(state->writer(), content, as_result);
    if (error) co_return lost("write", error);
    co_return Result<void>();
}

std::size_t FdStream::write_now(std::string_view bytes) {
    asio::posix::stream_descriptor& to = state_->writer();
    const ssize_t written = to.is_open() ? ::write(to.native_handle(), bytes.data(), bytes.size()) : 0;
    return written > 0 ? static_cast<std::size_t>(written) : 0;
}

void FdStream::close() {
    boost::system::error_code ignored;
    state_->input.close(ignored);
    state_->output.close(ignored);
}

}  // namespace trellis
