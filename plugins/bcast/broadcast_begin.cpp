// The beginning of a Broadcast: what the hosts are asked, and who takes part from where on.
#include "plugins/bcast/broadcast.hpp"
#include "plugins/bcast/resumption.hpp"

#include <utility>

namespace trellis::plugins::bcast {
BcastRequest Broadcast::request() const {
    BcastRequest request;
    request.about = about_;
    request.source = wish_.source;
    request.source_path = wish_.source_path;
    request.destination = wish_.destination;
    request.verify = wish_.verify;
    request.pipe = wish_.pipe;
    request.resume = wish_.resume;
    request.compress = wish_.compress;
    request.digest_key = wish_.digest_key;
    request.filing = wish_.plain && !wish_.digest_key.empty();
    request.slowest_link = wish_.slowest_link;
    for (const Host& host : hosts_) {
        const std::string directory = context_.directory(host.name);
        if (!directory.empty()) request.directories[host.id] = directory;
    }
    request.token = random_token();
    return request;
}

Task<void> Broadcast::begin() {
    exclude_late();
    std::vector<HostId> go_on = co_await judge();
    Begin begin{wish_.method, wish_.source, {}, std::move(go_on)};
    for (const HostId host : begin.go_on)
        parts_[host].goes_on = true;
    for (const Host& host : hosts_) {
        const Part& part = parts_[host.id];
        if (part.state != State::out) begin.chain.push_back({host.id, part.ready.endpoint});
    }
    const bool source_left = wish_.source == root_id || parts_[wish_.source].state != State::out;
    if (begin.chain.empty() || !source_left) co_return;
    formation_.emplace(begin);
    started_ = context_.clock().now();
    tell_all(begin);
}

// Who is not ready by now is out, and told so.
void Broadcast::exclude_late() {
    for (const Host& host : hosts_) {
        if (parts_[host.id].state != State::asked) continue;
        give_up(host.id, "its files did not answer in time");
    }
}

// Which hosts have kept the same as the source has.
Task<std::vector<HostId>> Broadcast::judge() {
    Judge judge;
    for (const auto& [host, part] : parts_)
        if (part.state == State::ready && part.ready.kept.chunks > 0)
            judge.claims.push_back({host, part.ready.kept});
    if (judge.claims.empty()) co_return std::vector<HostId>();
    if (producer_) co_return co_await agreeing(*holding_, std::move(judge.claims));
    const ToRole message = std::move(judge);
    operation_->send(wish_.source, encode(message));
    while (!judged_ && parts_[wish_.source].state != State::out)
        co_await holding_->changed.wait();
    co_return judged_ ? judged_->hosts : std::vector<HostId>();
}

}  // namespace trellis::plugins::bcast
