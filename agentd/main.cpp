// trellis-agentd: what runs on every host. Wiring only. See trellis-agentd(8).
#include "trellis/plugin.hpp"

#include "agentd/core/agent.hpp"
#include "agentd/core/pair_key.hpp"
#include "agentd/os/door.hpp"
#include "agentd/os/fd_stream.hpp"
#include "agentd/os/guardian.hpp"
#include "agentd/os/host_identity.hpp"
#include "agentd/os/os_file_store.hpp"
#include "agentd/os/os_processes.hpp"
#include "agentd/os/os_spawner.hpp"
#include "agentd/os/startup_line.hpp"
#include "agentd/os/steady_clock.hpp"
#include "agentd/os/stream_bridge.hpp"
#include "agentd/os/stream_link.hpp"
#include "agentd/os/tcp_dialer.hpp"
#include "agentd/os/tcp_prober.hpp"
#include "agentd/os/tls_network.hpp"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <iostream>
#include <malloc.h>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <unistd.h>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <openssl/crypto.h>

namespace trellis {
namespace {

// Standard input and output carry the frames; whatever a library may print goes to standard error.
std::unique_ptr<ByteStream> take_standard_streams(const Executor& executor) {
    FileDescriptor input(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3));
    FileDescriptor output(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3));
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    dup2(null, STDIN_FILENO);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    close(null);
    return std::make_unique<FdStream>(executor, std::move(input), std::move(output));
}

Hello describe_host(const SessionKey& key, std::string_view local_name) {
    HostIdentity identity = identify_host();
    Hello hello;
    hello.machine = identity.machine;
    if (!local_name.empty()) hello.machine += "/" + std::string(local_name);
    hello.addresses = std::move(identity.addresses);
    hello.key = key.public_key();
    return hello;
}

int serve(std::string_view nonce, std::string_view local_name) {
    asio::io_context context(1);
    const Executor executor = context.get_executor();
    SteadyClock clock;
    OsProcesses processes(executor);
    const auto key = std::make_shared<const SessionKey>();
    Agent* running = nullptr;
    std::set<OperationId> told;
    const StrangerReport on_stranger = [&](OperationId operation, const std::string& text) {
        if (running && told.insert(operation).second) running->note(text);
    };
    TcpProber prober(executor, key, on_stranger);
    TlsNetwork network(executor, key, on_stranger);
    TcpDialer dialer(executor);
    OsFileStore files;
    OsSpawner spawner(executor, "/proc/self/exe", false);
    Agent agent(World{executor, clock, processes, prober, network, spawner, dialer, files},
                describe_host(*key, local_name), plugin_roles());
    running = &agent;
    std::optional<Door> door;
    agent.on_door([&](const std::string& name) {
        door.emplace(executor, name, [&](std::unique_ptr<ByteStream> stream) {
            auto link = std::make_unique<StreamLink>(executor, std::move(stream));
            asio::co_spawn(executor, agent.rejoin(std::move(link)), asio::detached);
        });
    });

    const std::string started = started_line(nonce);
    if (write(STDOUT_FILENO, started.data(), started.size()) < 0) return 1;
    auto link = std::make_unique<StreamLink>(executor, take_standard_streams(executor));
    auto ended = [&context](const std::exception_ptr&, const Failure&) { context.stop(); };
    asio::co_spawn(executor, agent.run(std::move(link)), ended);
    context.run();
    running = nullptr;
    if (agent.roles_running() > 0 || files.busy()) std::_Exit(1);  // threads that may never end
    return 0;
}

// Brings a new parent's link to the agent behind the door.
int knock_at(std::string_view nonce, const std::string& name) {
    asio::io_context context(1);
    const Executor executor = context.get_executor();
    auto agent = knock(executor, name);
    const std::string answer =
        agent ? started_line(nonce) : "\n" + std::string(nonce) + " cannot " + agent.error().cause + "\n";
    if (write(STDOUT_FILENO, answer.data(), answer.size()) < 0 || !agent) return 1;
    const std::shared_ptr<ByteStream> parent = take_standard_streams(executor), inner = std::move(*agent);
    asio::co_spawn(executor, join_streams(parent, inner), asio::detached);
    context.run();
    return 0;
}

int usage() {
    std::cerr << "usage: trellis-agentd --serve NONCE [LOCAL-NAME]\n"
                 "       trellis-agentd --knock NONCE DOOR\n"
                 "       trellis-agentd --version\n"
                 "It is started by trellis over ssh; see trellis-agentd(8).\n";
    return 2;
}

}  // namespace
}  // namespace trellis

int main(int argc, char** argv) {
    const std::string_view option = argc > 1 ? argv[1] : "";
    if (option == "--version") {
        std::cout << "trellis-agentd " << TRELLIS_VERSION << '\n';
        return 0;
    }
    // The host's configuration of OpenSSL is for its own copy, what ends with the process need not be freed,
    // and tables of old names and of texts that nobody is shown take as long as all else until an agent is
    // there.
    OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG | OPENSSL_INIT_NO_ATEXIT |
                            OPENSSL_INIT_NO_ADD_ALL_CIPHERS | OPENSSL_INIT_NO_ADD_ALL_DIGESTS |
                            OPENSSL_INIT_NO_LOAD_CRYPTO_STRINGS,
                        nullptr);
    std::signal(SIGXFSZ, SIG_IGN);  // where files may not become so large, writing fails
    // Blocks of a few megabytes come and go while files are handed on: not a page fault for each page.
    mallopt(M_MMAP_THRESHOLD, 8 << 20);
    mallopt(M_TRIM_THRESHOLD, 32 << 20);
    if (option == "--knock" && argc == 4) return trellis::knock_at(argv[2], argv[3]);
    if (option != "--serve" || argc < 3 || argc > 4) return trellis::usage();
    return trellis::run_guarded([&] { return trellis::serve(argv[2], argc > 3 ? argv[3] : ""); });
}
