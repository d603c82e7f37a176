#include "agentd/os/agent_signing.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <poll.h>
#include <sys/socket.h>
#include <thread>

#include <boost/asio/buffer.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>

namespace trellis {

namespace {

constexpr std::uint32_t longest_request = 256 * 1024;

// What the thread and the coroutine share. The agent socket's near end belongs to libssh's session.
struct Signing {
    std::shared_ptr<SshHandle> handle;
    int near = -1;
    std::atomic<int> outcome = SSH_AUTH_ERROR;
};

// On the thread: the login's packets, and libssh's blocking talk to its agent in between.
void authenticate_blocking(const std::shared_ptr<Signing>& signing) {
    const ssh_session session = signing->handle->session();
    for (;;) {
        const int outcome = ssh_userauth_agent(session, nullptr);
        if (outcome != SSH_AUTH_AGAIN) {
            signing->outcome = outcome;
            break;
        }
        const bool writes = (ssh_get_poll_flags(session) & SSH_WRITE_PENDING) != 0;
        pollfd watched{signing->handle->socket(), static_cast<short>(writes ? POLLIN | POLLOUT : POLLIN), 0};
        ::poll(&watched, 1, -1);
    }
    ::shutdown(signing->near, SHUT_RDWR);
}

// Unblocks the thread if the coroutine is cancelled: both of its sockets end.
class Hangup {
  public:
    explicit Hangup(const Signing& signing) : signing_(signing) {}
    Hangup(const Hangup&) = delete;
    Hangup& operator=(const Hangup&) = delete;
    ~Hangup() {
        if (finished_) return;
        ::shutdown(signing_.near, SHUT_RDWR);
        ::shutdown(signing_.handle->socket(), SHUT_RDWR);
    }
    void finish() { finished_ = true; }

  private:
    const Signing& signing_;
    bool finished_ = false;
};

std::uint32_t number_in(const std::array<unsigned char, 4>& head) {
    return std::uint32_t{head[0]} << 24 | std::uint32_t{head[1]} << 16 | std::uint32_t{head[2]} << 8 |
           head[3];
}

std::string with_length(const std::string& reply) {
    std::string message;
    for (int shift = 24; shift >= 0; shift -= 8)
        message += static_cast<char>(reply.size() >> shift & 0xff);
    return message + reply;
}

// Answers libssh's questions until the thread has finished and shut its end down.
Task<void> serve(asio::posix::stream_descriptor& questions, const std::vector<AgentIdentity>& identities,
                 LoginAuthority& authority) {
    for (;;) {
        std::array<unsigned char, 4> head{};
        const auto head_space = asio::buffer(head);
        const auto [head_error, head_size] = co_await asio::async_read(questions, head_space, as_result);
        const std::uint32_t size = number_in(head);
        if (head_error || size == 0 || size > longest_request) co_return;
        std::string request(size, '\0');
        const auto space = asio::buffer(request);
        const auto [error, read] = co_await asio::async_read(questions, space, as_result);
        if (error) co_return;
        std::string reply(1, agent_failure);
        if (request[0] == agent_request_identities) {
            reply = format_identities(identities);
        } else {
            Result<std::string> answer = co_await authority.ask_agent(std::move(request));
            if (answer && !answer->empty()) reply = std::move(*answer);
        }
        const std::string message = with_length(reply);
        const auto content = asio::buffer(message);
        const auto [write_error, written] = co_await asio::async_write(questions, content, as_result);
        if (write_error) co_return;
    }
}

}  // namespace

Task<int> authenticate_by_agent(std::shared_ptr<SshConnection> connection,
                                const std::vector<AgentIdentity>& identities, LoginAuthority& authority) {
    DescriptorPair ends = make_socket_pair();
    if (!ends.first.open()) co_return SSH_AUTH_DENIED;
    const auto signing = std::make_shared<Signing>();
    signing->handle = connection->handle();
    signing->near = ends.first.release();
    ssh_set_agent_socket(connection->session(), signing->near);
    asio::posix::stream_descriptor questions(connection->executor(), ends.second.release());
    Hangup hangup(*signing);
    std::thread([signing] { authenticate_blocking(signing); }).detach();
    co_await serve(questions, identities, authority);
    hangup.finish();
    co_return signing->outcome.load();
}

}  // namespace trellis
