#include "agentd/os/ssh_connection.hpp"

#include <array>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdexcept>
#include <sys/socket.h>
#include <sys/stat.h>

namespace trellis {

namespace {

bool same_file(int one, int other) {
    struct stat first {};
    struct stat second {};
    return ::fstat(one, &first) == 0 && ::fstat(other, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

}  // namespace

SshHandle::SshHandle(FileDescriptor socket)
    : session_(ssh_new()), socket_(std::move(socket)), lent_(::fcntl(socket_.get(), F_DUPFD_CLOEXEC, 3)) {
    if (!session_) throw std::bad_alloc();
    ssh_set_blocking(session_, 0);
    ssh_options_set(session_, SSH_OPTIONS_FD, &lent_);
}

SshHandle::~SshHandle() {
    if (ssh_is_connected(session_)) ssh_disconnect(session_);
    ssh_free(session_);
    if (same_file(lent_, socket_.get())) ::close(lent_);
}

SshConnection::SshConnection(const Executor& executor, FileDescriptor socket, std::unique_ptr<Child> helper)
    : executor_(executor),
      handle_(std::make_shared<SshHandle>(std::move(socket))),
      helper_(std::move(helper)),
      readiness_(executor, ::fcntl(handle_->socket(), F_DUPFD_CLOEXEC, 3)),
      turned_(executor) {}

SshConnection::~SshConnection() {
    if (!event_) return;
    ssh_event_remove_session(event_, session());
    ssh_event_free(event_);
}

Result<void> SshConnection::set_options(const LoginPlan& plan) {
    const int no = 0;
    const auto set = [&](ssh_options_e option, const std::string& value) {
        return value.empty() || ssh_options_set(session(), option, value.c_str()) == SSH_OK;
    };
    ssh_options_set(session(), SSH_OPTIONS_PROCESS_CONFIG, &no);
    const bool valid = set(SSH_OPTIONS_HOST, plan.host) && set(SSH_OPTIONS_USER, plan.user) &&
                       set(SSH_OPTIONS_KEY_EXCHANGE, plan.key_exchanges) &&
                       set(SSH_OPTIONS_HOSTKEYS, plan.host_key_algorithms) &&
                       set(SSH_OPTIONS_CIPHERS_C_S, plan.ciphers) &&
                       set(SSH_OPTIONS_CIPHERS_S_C, plan.ciphers) && set(SSH_OPTIONS_HMAC_C_S, plan.macs) &&
                       set(SSH_OPTIONS_HMAC_S_C, plan.macs) &&
                       set(SSH_OPTIONS_PUBLICKEY_ACCEPTED_TYPES, plan.publickey_algorithms) &&
                       set(SSH_OPTIONS_COMPRESSION, plan.compression ? "yes" : "no");
    if (valid) return {};
    return Failure{FailureKind::invalid, "log in", "", "ssh settings: " + error()};
}

std::string SshConnection::error() const {
    return ssh_get_error(session());
}

bool SshConnection::congested() const {
    return (ssh_get_poll_flags(session()) & SSH_WRITE_PENDING) != 0;
}

void SshConnection::watch_socket() {
    if (ended_) return;
    wait_for(false);
    if (congested()) wait_for(true);
}

// sshd's replies come in small pieces under Nagle's algorithm: without quick acknowledgements each login
// waits for 40 ms. The kernel forgets the option, so it is set before each wait.
void SshConnection::wait_for(bool write) {
    bool& waiting = write ? waiting_to_write_ : waiting_to_read_;
    if (waiting) return;
    waiting = true;
    const int yes = 1;
    if (!write) ::setsockopt(handle_->socket(), IPPROTO_TCP, TCP_QUICKACK, &yes, sizeof yes);
    const auto ready = [weak = weak_from_this(), write](const boost::system::error_code& error) {
        const std::shared_ptr<SshConnection> self = weak.lock();
        if (!self) return;
        (write ? self->waiting_to_write_ : self->waiting_to_read_) = false;
        if (!error) self->turn();
    };
    using asio::posix::descriptor_base;
    readiness_.async_wait(write ? descriptor_base::wait_write : descriptor_base::wait_read, ready);
}

void SshConnection::start_pump() {
    event_ = ssh_event_new();
    if (!event_ || ssh_event_add_session(event_, session()) != SSH_OK)
        throw std::runtime_error("libssh: cannot watch a session");
    watch_socket();
}

void SshConnection::turn() {
    const std::shared_ptr<SshConnection> self = shared_from_this();
    if (event_ && !ended_) {
        ssh_event_dopoll(event_, 0);
        if ((ssh_get_status(session()) & (SSH_CLOSED | SSH_CLOSED_ERROR)) != 0) end();
        watch_socket();
    }
    turned_.notify();
}

Task<void> SshConnection::turned(Duration at_most) {
    asio::steady_timer alarm(executor_, at_most);
    alarm.async_wait([connection = weak_from_this()](boost::system::error_code cancelled) {
        const auto alive = connection.lock();
        if (!cancelled && alive) alive->wake();
    });
    co_await turned_.wait();
}

void SshConnection::end() {
    ended_ = true;
    readiness_.cancel();
    for (Wakeup* channel : channels_)
        channel->notify();
}

}  // namespace trellis
