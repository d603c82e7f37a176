// SshConnection: one libssh session on a socket of ours, driven by the event loop without ever blocking it.
// Shared by the channels that live on it; the last one to go closes it. Used by one thread at a time: before
// start_pump() nothing touches the session but the login's own calls, so that a worker thread may make them.
#pragma once

#include "agentd/os/children.hpp"
#include "agentd/os/file_descriptor.hpp"
#include "agentd/os/ssh_login_plan.hpp"
#include "agentd/os/wakeup.hpp"

#include <memory>
#include <set>
#include <string>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <libssh/libssh.h>

namespace trellis {

// The session and the socket under it; what a worker thread keeps alive. libssh gets a descriptor of its own:
// it closes it after some errors and leaves it open otherwise.
class SshHandle {
  public:
    explicit SshHandle(FileDescriptor socket);
    SshHandle(const SshHandle&) = delete;
    SshHandle& operator=(const SshHandle&) = delete;
    ~SshHandle();
    [[nodiscard]] ssh_session session() const { return session_; }
    [[nodiscard]] int socket() const { return socket_.get(); }

  private:
    ssh_session session_;
    FileDescriptor socket_;
    int lent_;
};

class SshConnection : public std::enable_shared_from_this<SshConnection> {
  public:
    // `socket`: connected and non-blocking. `helper`: the ProxyCommand behind it, or null.
    SshConnection(const Executor& executor, FileDescriptor socket, std::unique_ptr<Child> helper);
    SshConnection(const SshConnection&) = delete;
    SshConnection& operator=(const SshConnection&) = delete;
    ~SshConnection();

    [[nodiscard]] ssh_session session() const { return handle_->session(); }
    [[nodiscard]] const Executor& executor() const { return executor_; }
    [[nodiscard]] std::shared_ptr<SshHandle> handle() const { return handle_; }

    // Algorithms, user and so on. Failure invalid: libssh knows none of a list.
    Result<void> set_options(const LoginPlan& plan);

    // Calls `step` until it returns something else than `again` (SSH_AUTH_AGAIN for calls that authenticate),
    // waiting for the socket in between.
    template <class Step>
    Task<int> repeat(Step step, int again = SSH_AGAIN) {
        for (;;) {
            const int result = step();
            watch_socket();
            if (result != again) co_return result;
            co_await turned_.wait();
        }
    }

    // From here on, incoming packets are handled as they come. After the login.
    void start_pump();
    // To be called after every libssh call that may have written.
    void watch_socket();
    // Handles what has come, and learns whether the socket has room.
    void turn();
    // Whether bytes wait because the socket is full.
    [[nodiscard]] bool congested() const;
    // Returns after the next readiness of the socket, or after `at_most`.
    Task<void> turned(Duration at_most);
    void wake() { turned_.notify(); }
    [[nodiscard]] bool ended() const { return ended_; }
    // libssh's words for what went wrong.
    [[nodiscard]] std::string error() const;
    // Those who are woken when the connection ends.
    void add(Wakeup* channel) { channels_.insert(channel); }
    void remove(Wakeup* channel) { channels_.erase(channel); }

  private:
    void wait_for(bool write);
    void end();

    Executor executor_;
    std::shared_ptr<SshHandle> handle_;
    std::unique_ptr<Child> helper_;
    asio::posix::stream_descriptor readiness_;  // a duplicate of the socket
    ssh_event event_ = nullptr;
    Wakeup turned_;
    std::set<Wakeup*> channels_;
    bool waiting_to_read_ = false;
    bool waiting_to_write_ = false;
    bool ended_ = false;
};

}  // namespace trellis
