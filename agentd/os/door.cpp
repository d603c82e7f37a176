#include "agentd/os/door.hpp"

#include "agentd/os/fd_stream.hpp"
#include "agentd/os/file_descriptor.hpp"
#include "agentd/os/wakeup.hpp"

#include <cerrno>
#include <cstring>
#include <optional>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

namespace trellis {
namespace {

// In the abstract name space: the first byte is zero.
struct SocketName {
    explicit SocketName(const std::string& name) {
        address.sun_family = AF_UNIX;
        const std::size_t size = std::min(name.size(), sizeof address.sun_path - 1);
        std::memcpy(address.sun_path + 1, name.data(), size);
        length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + size);
    }
    [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&address); }
    sockaddr_un address{};
    socklen_t length = 0;
};

FileDescriptor new_socket() {
    return FileDescriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

bool same_user(int connection) {
    ucred peer{};
    socklen_t size = sizeof peer;
    return ::getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == ::geteuid();
}

}  // namespace

struct Door::State {
    State(const Executor& executor, int listening,
          std::function<void(std::unique_ptr<ByteStream>)> on_visitor)
        : socket(executor, listening), visitor(std::move(on_visitor)) {}
    asio::posix::stream_descriptor socket;
    std::function<void(std::unique_ptr<ByteStream>)> visitor;
};

Door::Door(const Executor& executor, const std::string& name,
           std::function<void(std::unique_ptr<ByteStream>)> on_visitor) {
    const SocketName at(name);
    FileDescriptor socket = new_socket();
    if (!socket.open() || ::bind(socket.get(), at.get(), at.length) != 0 || ::listen(socket.get(), 4) != 0)
        return;
    state_ = std::make_shared<State>(executor, socket.release(), std::move(on_visitor));
    asio::co_spawn(executor, accept(state_), asio::detached);
}

Door::~Door() {
    if (!state_) return;
    state_->visitor = {};
    boost::system::error_code ignored;
    state_->socket.close(ignored);
}

Task<void> Door::accept(std::shared_ptr<State> state) {
    for (;;) {
        const auto [error] =
            co_await state->socket.async_wait(asio::posix::descriptor_base::wait_read, as_result);
        if (error || !state->visitor) co_return;
        FileDescriptor connection(
            ::accept4(state->socket.native_handle(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
        if (!connection.open() || !same_user(connection.get())) continue;
        state->visitor(std::make_unique<FdStream>(state->socket.get_executor(), std::move(connection)));
    }
}

Result<std::unique_ptr<ByteStream>> knock(const Executor& executor, const std::string& name) {
    const SocketName at(name);
    FileDescriptor socket = new_socket();
    if (!socket.open() || ::connect(socket.get(), at.get(), at.length) != 0 || !same_user(socket.get()))
        return Failure{FailureKind::cannot_start, "start the agent", "", "no agent waits there"};
    return std::unique_ptr<ByteStream>(std::make_unique<FdStream>(executor, std::move(socket)));
}

}  // namespace trellis
