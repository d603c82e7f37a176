#include "shell/commands/remote_pipes.hpp"

#include "trellis/message.hpp"

#include <utility>

#include <boost/asio/experimental/awaitable_operators.hpp>

namespace trellis {

void RemotePipes::up(int descriptor, std::unique_ptr<Sink> sink) {
    ups_[descriptor].sink = std::move(sink);
}

void RemotePipes::down(int descriptor, std::unique_ptr<Source> source) {
    downs_[descriptor] = std::move(source);
}

void RemotePipes::ask_for(ExecRequest& request) const {
    for (const auto& [descriptor, source] : downs_)
        request.inputs.push_back(descriptor);
    for (const auto& [descriptor, up] : ups_)
        if (descriptor != Process::out && descriptor != Process::err) request.outputs.push_back(descriptor);
}

bool RemotePipes::takes(std::uint32_t stream) const {
    return ups_.contains(static_cast<int>(stream));
}

void RemotePipes::fail(const std::string& cause) {
    context_.say(cause);
    failed_ = true;
}

void RemotePipes::close(Up& up) {
    if (!up.sink) return;
    const Result<void> closed = std::exchange(up.sink, nullptr)->close();
    if (!closed) fail(closed.error().cause);
}

void RemotePipes::close() {
    for (auto& [descriptor, up] : ups_)
        close(up);
    downs_.clear();
}

Task<void> RemotePipes::add(Operation& operation, const std::string& host, const StreamData& data) {
    const auto descriptor = static_cast<int>(data.stream);
    if (data.end) co_return co_await finish_host(operation, descriptor, host, true);
    Up& up = ups_.at(descriptor);
    if (!up.sink) co_return;
    const Result<void> written = co_await up.lines.add(host, data.bytes, *up.sink);
    check(operation, descriptor, written);
}

// A last line without an end is one if the process has ended, and a torn one if the host was lost.
Task<void> RemotePipes::end(Operation& operation, const std::string& host, const Outcome& outcome) {
    for (const auto& [descriptor, up] : ups_)
        co_await finish_host(operation, descriptor, host, outcome.state != Outcome::State::failed);
}

Task<void> RemotePipes::finish_host(Operation& operation, int descriptor, const std::string& host,
                                    bool whole) {
    Up& up = ups_.at(descriptor);
    if (!up.ended.insert(host).second) co_return;
    if (!whole) up.lines.drop(host);
    if (up.sink) {
        const Result<void> written = co_await up.lines.finish(host, *up.sink);
        check(operation, descriptor, written);
    }
    if (up.ended.size() == hosts_) close(up);
}

void RemotePipes::check(Operation& operation, int descriptor, const Result<void>& written) {
    if (written) return;
    if (written.error().cause != reader_gone) fail(written.error().cause);
    ups_.at(descriptor).sink.reset();
    const ExecControl control{std::nullopt, {descriptor}, 0};
    operation.send_all(encode(control));
}

Task<void> RemotePipes::feed(Operation& operation, std::vector<HostId> hosts) {
    co_await feed_from(operation, hosts, downs_.begin());
}

// All sources from that one on, side by side.
Task<void> RemotePipes::feed_from(Operation& operation, const std::vector<HostId>& hosts,
                                  Downs::iterator first) {
    using namespace asio::experimental::awaitable_operators;
    if (first == downs_.end()) co_return;
    co_await (broadcast(operation, hosts, *first) && feed_from(operation, hosts, std::next(first)));
}

Task<void> RemotePipes::broadcast(Operation& operation, std::vector<HostId> hosts, Downs::value_type& down) {
    auto& [descriptor, source] = down;
    const auto stream = static_cast<std::uint32_t>(descriptor);
    while (!hosts.empty()) {
        const Result<std::string> bytes = co_await source->read();
        if (!bytes) fail(bytes.error().cause);
        if (!bytes || bytes->empty()) break;
        co_await write_to_all(operation, hosts, stream, *bytes);
    }
    source.reset();
    for (const HostId host : hosts)
        operation.finish(host, stream);
}

// One after the other: it waits for a host only if that has not read what came long before. Those that have
// ended are left out from now on.
Task<void> RemotePipes::write_to_all(Operation& operation, std::vector<HostId>& hosts, std::uint32_t stream,
                                     const std::string& bytes) {
    std::vector<HostId> left;
    left.reserve(hosts.size());
    for (const HostId host : hosts) {
        const Result<void> written = co_await operation.write(host, stream, bytes);
        if (written) left.push_back(host);
    }
    hosts = std::move(left);
}

}  // namespace trellis
