#include "plugins/estimate/record/record_role.hpp"

#include <algorithm>
#include <utility>

#include <boost/asio/experimental/awaitable_operators.hpp>

namespace trellis::plugins::estimate {
namespace {

constexpr std::size_t most_lanes = 16;

}  // namespace

Task<RoleResult> RecordRole::run() {
    auto probing = context_.world().prober.open(context_.peers());
    if (!probing) co_return RoleResult{Outcome::of(probing.error()), {}};
    probing_ = std::move(*probing);
    tell_root(Ready{probing_->endpoint().port});
    using namespace asio::experimental::awaitable_operators;
    co_await (read_messages() || measure_rows());
    co_return RoleResult{};
}

Task<void> RecordRole::read_messages() {
    while (auto received = co_await context_.receive()) {
        const auto message = decode<ToRecordRole>(received->body);
        if (!message || received->from != root_id) continue;
        if (const auto* peers = std::get_if<Meet>(&*message)) meet(*peers);
        if (const auto* measure = std::get_if<Measure>(&*message)) wanted_ = measure->row;
        changed_.notify();
    }
}

void RecordRole::meet(const Meet& meet) {
    std::vector<Host> hosts;
    peers_.clear();
    for (const RecordPeer& peer : meet.peers) {
        Host host;
        host.id = peer.id;
        host.key = peer.key;
        hosts.push_back(std::move(host));
        if (peer.at.port != 0) peers_.push_back(peer);
    }
    probing_->introduce(std::move(hosts));
    plan_.sets = plan_.round_trips = plan_.patience = 1;
    plan_.timeout = std::chrono::microseconds(std::clamp<std::int64_t>(meet.timeout_us, 1'000, 10'000'000));
}

Task<void> RecordRole::measure_rows() {
    for (;;) {
        while (wanted_ == measured_.row)
            co_await changed_.wait();
        measured_ = {wanted_, {}};
        next_peer_ = 0;
        co_await fill_lanes(std::clamp<std::size_t>(peers_.size(), 1, most_lanes));
        tell_root(measured_);
    }
}

Task<void> RecordRole::fill_lanes(std::size_t lanes) {
    using namespace asio::experimental::awaitable_operators;
    if (lanes == 1) {
        co_await fill_lane();
    } else {
        co_await (fill_lanes(lanes / 2) && fill_lanes(lanes - lanes / 2));
    }
}

Task<void> RecordRole::fill_lane() {
    while (next_peer_ < peers_.size()) {
        const RecordPeer peer = peers_[next_peer_++];
        const auto result = co_await probing_->measure(peer.id, peer.at, plan_);
        if (!result || result->minima.empty()) continue;
        const std::chrono::duration<double, std::micro> us = result->minima.front();
        measured_.round_trips.push_back({peer.number, us.count()});
    }
}

}  // namespace trellis::plugins::estimate
