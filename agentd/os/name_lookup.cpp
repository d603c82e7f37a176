#include "agentd/os/name_lookup.hpp"

#include "agentd/os/wakeup.hpp"

#include <cstring>
#include <memory>
#include <mutex>
#include <netdb.h>
#include <nss.h>
#include <optional>
#include <sys/auxv.h>
#include <thread>

#include <boost/asio/ip/address.hpp>
#include <boost/asio/post.hpp>

namespace trellis {

namespace {

using Endpoints = std::vector<asio::ip::tcp::endpoint>;

Failure unknown_name(const std::string& host, const std::string& cause) {
    return Failure{FailureKind::unreachable, "look up name", "", host + ": " + cause};
}

// A static program cannot load the name services of the host's glibc.
void restrict_name_services() {
    static std::once_flag once;
    std::call_once(once, [] {
        if (::getauxval(AT_BASE) == 0) ::__nss_configure_lookup("hosts", "files dns");
    });
}

Result<Endpoints> look_up_blocking(const std::string& host, std::uint16_t port, int family) {
    restrict_name_services();
    addrinfo hints{};
    hints.ai_family = family;
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_ADDRCONFIG;
    addrinfo* found = nullptr;
    int error = ::getaddrinfo(host.c_str(), nullptr, &hints, &found);
    if (error == EAI_ADDRFAMILY || error == EAI_NONAME) {  // only loopback is configured, perhaps
        hints.ai_flags = 0;
        error = ::getaddrinfo(host.c_str(), nullptr, &hints, &found);
    }
    if (error != 0) return unknown_name(host, ::gai_strerror(error));
    Endpoints endpoints;
    for (const addrinfo* entry = found; entry; entry = entry->ai_next) {
        asio::ip::tcp::endpoint endpoint;
        endpoint.resize(entry->ai_addrlen);
        std::memcpy(endpoint.data(), entry->ai_addr, entry->ai_addrlen);
        endpoint.port(port);
        endpoints.push_back(endpoint);
    }
    ::freeaddrinfo(found);
    return endpoints;
}

struct Waiting;

// All that the thread holds: it may outlive the coroutine, and the io_context too.
struct Lookup {
    std::mutex mutex;
    Waiting* waiting = nullptr;  // used under the mutex
};

// While the coroutine waits. Its end makes the thread keep its result to itself.
struct Waiting {
    explicit Waiting(const Executor& waiting_on) : executor(waiting_on), done(waiting_on) {
        lookup->waiting = this;
    }
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;
    ~Waiting() {
        const std::lock_guard lock(lookup->mutex);
        lookup->waiting = nullptr;
    }
    std::shared_ptr<Lookup> lookup = std::make_shared<Lookup>();
    Executor executor;
    Wakeup done;
    std::optional<Result<Endpoints>> result;
};

void take(Lookup& lookup, Result<Endpoints> result) {
    const std::lock_guard lock(lookup.mutex);
    if (!lookup.waiting) return;
    lookup.waiting->result = std::move(result);
    lookup.waiting->done.notify();
}

void deliver(const std::shared_ptr<Lookup>& lookup, Result<Endpoints> result) {
    const std::lock_guard lock(lookup->mutex);
    if (!lookup->waiting) return;
    asio::post(lookup->waiting->executor,
               [lookup, found = std::move(result)]() mutable { take(*lookup, std::move(found)); });
}

}  // namespace

Task<Result<Endpoints>> look_up(std::string host, std::uint16_t port, int family) {
    boost::system::error_code not_numeric;
    const asio::ip::address address = asio::ip::make_address(host, not_numeric);
    if (!not_numeric) co_return Endpoints{asio::ip::tcp::endpoint(address, port)};
    const Executor executor = co_await asio::this_coro::executor;
    Waiting waiting(executor);
    std::thread([lookup = waiting.lookup, host, port, family] {
        deliver(lookup, look_up_blocking(host, port, family));
    }).detach();
    while (!waiting.result)
        co_await waiting.done.wait();
    co_return std::move(*waiting.result);
}

}  // namespace trellis
