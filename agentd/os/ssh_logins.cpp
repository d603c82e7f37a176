#include "agentd/os/ssh_logins.hpp"

#include "agentd/os/known_hosts.hpp"
#include "agentd/os/ssh_authentication.hpp"
#include "agentd/os/ssh_channel_stream.hpp"
#include "agentd/os/steady_clock.hpp"
#include "agentd/os/stream_bridge.hpp"
#include "agentd/os/tcp_dialer.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <random>
#include <sys/socket.h>

namespace trellis {

namespace {

constexpr std::chrono::milliseconds first_pause{50};
constexpr std::chrono::milliseconds longest_pause{1000};

Failure failure(FailureKind kind, std::string cause) {
    return Failure{kind, "log in", "", std::move(cause)};
}

// A pause before the attempt after `failed` ones: doubling, with jitter so that many logins do not march in
// step.
Duration pause_after(int failed) {
    thread_local std::minstd_rand random{std::random_device{}()};
    const Duration whole = std::min<Duration>(first_pause * (1 << std::min(failed, 6)), longest_pause);
    return whole / 2 + std::chrono::nanoseconds(random() % static_cast<std::uint64_t>(whole.count()));
}

// The key in SSH wire format; empty if there is none.
std::string server_key(ssh_session session) {
    ssh_key key = nullptr;
    if (ssh_get_server_publickey(session, &key) != SSH_OK) return "";
    char* text = nullptr;
    const int exported = ssh_pki_export_pubkey_base64(key, &text);
    ssh_key_free(key);
    if (exported != SSH_OK) return "";
    std::string wire = base64_decode(text);
    ssh_string_free_char(text);
    return wire;
}

// An error of the handshake: either the two sides do not fit, or the connection broke, as when sshd has too
// many logins to deal with.
Failure handshake_failure(const std::string& error) {
    for (const char* misfit : {"kex error", "no match", "No match", "ignature", "Protocol mismatch", "verif"})
        if (error.find(misfit) != std::string::npos) return failure(FailureKind::refused, error);
    const bool silent = error.empty() || error == "Success";
    return failure(FailureKind::lost, silent ? "no answer" : error);
}

std::string place(const LoginPlan& plan) {
    return plan.host + " port " + std::to_string(plan.port);
}

// Equal for routes over the same jump hosts as the same users.
Result<std::string> name_of(const std::vector<SpawnRequest>& jumps) {
    std::string name;
    for (const SpawnRequest& jump : jumps) {
        const Result<LoginPlan> plan = make_login_plan(jump, own_login_place());
        if (!plan) return plan.error();
        name += plan->user + "@" + place(*plan) + ", ";
    }
    return name;
}

// The request for the last jump host, to be reached over those before it.
SpawnRequest last_of(const std::vector<SpawnRequest>& jumps) {
    SpawnRequest request = jumps.back();
    std::string before;
    for (std::size_t i = 0; i + 1 < jumps.size(); ++i) {
        before += (before.empty() ? "" : ",") + jumps[i].target;
        for (const auto& [keyword, values] : jumps[i].settings)
            request.settings["jump" + std::to_string(i) + " " + keyword] = values;
    }
    if (!before.empty()) request.settings["proxyjump"] = {before};
    return request;
}

}  // namespace

Task<Result<SshLogins::Connection>> SshLogins::log_in(SpawnRequest request, LoginAuthority& authority,
                                                      std::unique_ptr<ByteStream> transport,
                                                      SpawnProgress& progress) {
    const Result<LoginPlan> plan = make_login_plan(request, own_login_place());
    if (!plan) co_return plan.error();
    const bool once = transport != nullptr;
    SteadyClock clock;
    progress.closed.clear();
    for (int failed = 0;; ++failed) {
        Result<Connection> connection =
            co_await attempt(request, *plan, authority, std::move(transport), progress);
        progress.closed = connection ? "" : connection.error().cause;
        if (connection || connection.error().kind != FailureKind::lost) co_return connection;
        progress.logging_in();
        const Duration pause = pause_after(failed);
        if (once || clock.now() + pause > progress.deadline)
            co_return failure(once ? FailureKind::lost : progress.kind, progress.cause);
        co_await clock.sleep(pause);
    }
}

Task<Result<SshLogins::Connection>> SshLogins::attempt(const SpawnRequest& request, const LoginPlan& plan,
                                                       LoginAuthority& authority,
                                                       std::unique_ptr<ByteStream> transport,
                                                       SpawnProgress& progress) {
    std::string sshd = plan.host + " " + std::to_string(plan.port);
    const LoginGate::Permit permit = co_await gate_.enter(std::move(sshd));
    Result<Wire> wire = Wire{};
    if (transport) {
        Result<FileDescriptor> socket = bridge_to_descriptor(executor_, std::move(transport));
        if (!socket) co_return socket.error();
        wire->socket = std::move(*socket);
    } else {
        wire = co_await open_wire(request, plan, authority, progress);
        if (!wire) co_return wire.error();
    }
    progress.logging_in();
    Wire opened = std::move(*wire);
    co_return co_await handshake(std::move(opened), request, plan, authority);
}

Task<Result<SshLogins::Connection>> SshLogins::handshake(Wire wire, const SpawnRequest& request,
                                                         const LoginPlan& plan, LoginAuthority& authority) {
    auto connection =
        std::make_shared<SshConnection>(executor_, std::move(wire.socket), std::move(wire.helper));
    const Result<void> set = connection->set_options(plan);
    if (!set) co_return set.error();
    const auto connect = [session = connection->session()] { return ssh_connect(session); };
    const int connected = co_await connection->repeat(connect);
    if (connected != SSH_OK) co_return handshake_failure(connection->error());
    std::string key = server_key(connection->session());
    const Result<void> checked = co_await authority.check_host_key(request, plan.lookup, std::move(key));
    if (!checked) co_return checked.error();
    const bool may_ask_agent = own_agent_ || request.forward_agent;
    const Result<void> authenticated = co_await authenticate(connection, plan, authority, may_ask_agent);
    if (!authenticated) co_return authenticated.error();
    connection->start_pump();
    co_return connection;
}

Task<Result<SshLogins::Wire>> SshLogins::open_wire(const SpawnRequest& request, const LoginPlan& plan,
                                                   LoginAuthority& authority, SpawnProgress& progress) {
    if (!plan.proxy_command.empty()) co_return run_proxy(plan.proxy_command);
    std::vector<SpawnRequest> jumps = jump_requests(request);
    if (!jumps.empty()) {
        const std::string last = jumps.back().target;
        Result<Connection> jump = co_await jump_to(std::move(jumps), authority, progress);
        if (!jump) {
            Failure reason = jump.error();
            reason.cause = "jump host " + last + ": " + reason.cause;
            co_return reason;
        }
        co_return co_await wire_through(std::move(*jump), plan);
    }
    progress.connecting(place(plan));
    const Duration patience =
        request.connect_timeout > Duration::zero() ? request.connect_timeout : request.timeout;
    Result<FileDescriptor> socket = co_await connect_tcp_within(plan.host, plan.port, plan.family, patience);
    if (!socket) co_return failure(FailureKind::unreachable, socket.error().cause);
    Wire wire;
    wire.socket = std::move(*socket);
    co_return wire;
}

Result<SshLogins::Wire> SshLogins::run_proxy(const std::string& command) {
    DescriptorPair ends = make_socket_pair();
    if (!ends.first.open()) return failure(FailureKind::cannot_start, std::strerror(errno));
    ChildSpec spec;
    spec.process.argv = {"/bin/sh", "-c", "exec " + command};
    spec.input = spec.output = ends.second.get();
    Result<std::unique_ptr<Child>> child = children_.start(spec);
    if (!child) return child.error();
    set_nonblocking(ends.first.get());
    return Wire{std::move(ends.first), std::move(*child)};
}

Task<Result<SshLogins::Wire>> SshLogins::wire_through(Connection jump, const LoginPlan& plan) {
    auto channel = co_await SshChannelStream::forward(std::move(jump), plan.host, plan.port);
    if (!channel) {
        Failure reason = channel.error();
        reason.cause = place(plan) + " through the jump host: " + reason.cause;
        co_return reason;
    }
    Result<FileDescriptor> socket = bridge_to_descriptor(executor_, std::move(*channel));
    if (!socket) co_return socket.error();
    Wire wire;
    wire.socket = std::move(*socket);
    co_return wire;
}

// One login to each jump host at a time; those who wait share it if it succeeds.
Task<Result<SshLogins::Connection>> SshLogins::jump_to(std::vector<SpawnRequest> jumps,
                                                       LoginAuthority& authority, SpawnProgress& progress) {
    const Result<std::string> name = name_of(jumps);
    if (!name) co_return name.error();
    std::shared_ptr<Jump>& known = jumps_[*name];
    if (!known) known = std::make_shared<Jump>(executor_);
    const std::shared_ptr<Jump> jump = known;
    for (;;) {
        Connection shared = jump->connection.lock();
        if (shared && !shared->ended()) co_return shared;
        if (!jump->busy) break;
        co_await jump->changed.wait();
    }
    const Busy busy(*jump);
    SpawnRequest last = last_of(jumps);
    Result<Connection> connection = co_await log_in(std::move(last), authority, nullptr, progress);
    if (connection) jump->connection = *connection;
    co_return connection;
}

}  // namespace trellis
