#include "agentd/os/ssh_channel_stream.hpp"

#include "agentd/os/complaint.hpp"
#include "agentd/os/send_pace.hpp"

#include <algorithm>
#include <chrono>

#include <libssh/callbacks.h>

namespace trellis {

namespace {
constexpr std::size_t read_ahead = std::size_t{1} << 20;  // more than this stays in libssh and in the window
constexpr std::size_t piece = 32768;
}  // namespace

struct SshChannelStream::State {
    explicit State(std::shared_ptr<SshConnection> over)
        : connection(std::move(over)),
          channel(ssh_channel_new(connection->session())),
          changed(connection->executor()) {
        connection->add(&changed);
        callbacks.userdata = this;
        callbacks.channel_data_function = on_data;
        callbacks.channel_eof_function = on_end;
        callbacks.channel_close_function = on_end;
        ssh_callbacks_init(&callbacks);
        if (channel) ssh_set_channel_callbacks(channel, &callbacks);
    }
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    ~State() {
        connection->remove(&changed);
        if (!channel) return;
        ssh_remove_channel_callbacks(channel, &callbacks);
        ssh_channel_free(channel);
        connection->watch_socket();
    }

    static int on_data(ssh_session, ssh_channel, void* data, std::uint32_t size, int is_error, void* user) {
        State& state = *static_cast<State*>(user);
        if (is_error) {
            add_complaint(state.complaint, {static_cast<const char*>(data), size});
            return static_cast<int>(size);
        }
        if (state.received.size() >= read_ahead) {
            state.held_back = true;
            return 0;
        }
        state.received.append(static_cast<const char*>(data), size);
        state.changed.notify();
        return static_cast<int>(size);
    }
    static void on_end(ssh_session, ssh_channel, void* user) {
        State& state = *static_cast<State*>(user);
        state.ended = true;
        state.changed.notify();
    }
    // What libssh kept because we had enough.
    void fetch_held_back() {
        held_back = false;
        received.resize(read_ahead);
        const int size = ssh_channel_read_nonblocking(channel, received.data(), read_ahead, 0);
        received.resize(static_cast<std::size_t>(std::max(size, 0)));
        connection->watch_socket();
    }
    // As many as the other end and the socket have room for now; SSH_ERROR.
    int send(std::string_view bytes) {
        const std::size_t room =
            pace.room(ssh_channel_window_size(channel), std::chrono::steady_clock::now());
        if (room == 0 || connection->congested()) return 0;
        const auto size = static_cast<std::uint32_t>(std::min({bytes.size(), piece, room}));
        const int written = ssh_channel_write(channel, bytes.data(), size);
        connection->turn();
        return written;
    }
    [[nodiscard]] bool over() const { return closed || ended || connection->ended(); }

    std::shared_ptr<SshConnection> connection;
    ssh_channel channel;
    ssh_channel_callbacks_struct callbacks{};
    Wakeup changed;
    SendPace pace;
    std::string received;
    std::string complaint;
    bool held_back = false;
    bool ended = false;   // by the other side
    bool closed = false;  // by us
};

Task<Result<std::unique_ptr<SshChannelStream>>> SshChannelStream::execute(
    std::shared_ptr<SshConnection> connection, std::string command) {
    const auto state = std::make_shared<State>(connection);
    const auto open = [state] { return ssh_channel_open_session(state->channel); };
    const int opened = co_await connection->repeat(open);
    if (opened != SSH_OK)
        co_return Failure{connection->ended() ? FailureKind::lost : FailureKind::refused, "open session", "",
                          connection->error()};
    const auto request = [state, command] {
        return ssh_channel_request_exec(state->channel, command.c_str());
    };
    const int requested = co_await connection->repeat(request);
    if (requested != SSH_OK) co_return Failure{FailureKind::refused, "run command", "", connection->error()};
    co_return std::unique_ptr<SshChannelStream>(new SshChannelStream(state));
}

Task<Result<std::unique_ptr<SshChannelStream>>> SshChannelStream::forward(
    std::shared_ptr<SshConnection> connection, std::string host, std::uint16_t port) {
    const auto state = std::make_shared<State>(connection);
    const auto open = [state, host, port] {
        return ssh_channel_open_forward(state->channel, host.c_str(), port, "127.0.0.1", 0);
    };
    const int opened = co_await connection->repeat(open);
    if (opened != SSH_OK)
        co_return Failure{connection->ended() ? FailureKind::lost : FailureKind::unreachable, "forward", "",
                          connection->error()};
    co_return std::unique_ptr<SshChannelStream>(new SshChannelStream(state));
}

SshChannelStream::~SshChannelStream() {
    close();
}

Task<Result<std::string>> SshChannelStream::read() {
    const std::shared_ptr<State> state = state_;
    for (;;) {
        if (state->closed) co_return Failure{FailureKind::cancelled, "read", "", "closed"};
        if (state->received.empty() && state->held_back) state->fetch_held_back();
        if (!state->received.empty()) co_return std::exchange(state->received, std::string());
        if (state->over()) co_return std::string();
        co_await state->changed.wait();
    }
}

Task<Result<void>> SshChannelStream::write(std::string bytes) {
    const std::shared_ptr<State> state = state_;
    SshConnection& connection = *state->connection;
    std::size_t sent = 0;
    while (sent < bytes.size()) {
        if (state->closed) co_return Failure{FailureKind::cancelled, "write", "", "closed"};
        if (state->over()) co_return Failure{FailureKind::lost, "write", "", "connection closed"};
        const int written = state->send(std::string_view(bytes).substr(sent));
        if (written == SSH_ERROR) co_return Failure{FailureKind::lost, "write", "", connection.error()};
        if (written > 0)
            sent += static_cast<std::size_t>(written);
        else
            co_await connection.turned(SendPace::patience);
    }
    co_return Result<void>();
}

std::size_t SshChannelStream::write_now(std::string_view bytes) {
    const int written = state_->over() ? 0 : state_->send(bytes);
    return static_cast<std::size_t>(std::max(written, 0));
}

void SshChannelStream::close() {
    if (state_->closed) return;
    state_->closed = true;
    if (!state_->connection->ended()) {
        ssh_channel_send_eof(state_->channel);
        ssh_channel_close(state_->channel);
        state_->connection->watch_socket();
    }
    state_->changed.notify();
    state_->connection->wake();
}

std::string SshChannelStream::complaint() const {
    return state_->complaint;
}

}  // namespace trellis
