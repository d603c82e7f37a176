#include "plugins/infer/survey/surveyor.hpp"

#include <algorithm>

#include <boost/asio/experimental/awaitable_operators.hpp>

namespace trellis::plugins::infer {
namespace {

// Of one host, with --gentle.
constexpr std::int32_t gentle_pace_us = 5000;
// A host whose pairs with so many others fail, and more fail than succeed, is out of reach.
constexpr std::size_t telling_misses = 3;
// A host that is suspect for so long is left out: busy ones are heard again before.
constexpr Duration patience = std::chrono::seconds(7);

}  // namespace

Task<std::optional<Finding>> Surveyor::run() {
    bool going = true;
    while (going && !roster_.everybody_answered())
        going = co_await step();
    if (going) begin();
    if (!roster_.closed()) co_return std::nullopt;
    for (auto batch = plan_->next(); going && batch && batch->pairs() > 0; batch = plan_->next()) {
        send(*batch);
        going = co_await gather();
    }
    if (roster_.nobody_left()) co_return std::nullopt;
    Finding finding{plan_->topology(), plan_->measured_pairs(), plan_->remarks()};
    finding.remarks.push_back(load_.text());
    co_return finding;
}

// One event; false: there will be no more.
Task<bool> Surveyor::step() {
    co_await receive();
    leave_out_silent();
    if (ended_) co_return false;
    const auto event = std::exchange(event_, std::nullopt);
    if (!event) co_return true;
    if (const auto* message = std::get_if<HostMessage>(&event->what)) {
        if (const auto news = decode<ToSurveyor>(message->body)) {
            if (const auto* ready = std::get_if<Ready>(&*news)) roster_.ready(event->host, *ready);
            if (const auto* answer = std::get_if<Answer>(&*news)) take(event->host, *answer);
        }
    }
    if (const auto* result = std::get_if<RoleResult>(&event->what))
        leave_out(event->host, result->outcome.detail);
    if (const auto* suspicion = std::get_if<HostSuspicion>(&event->what)) {
        if (suspicion->suspect)
            silent_since_.emplace(event->host, context_.clock().now());
        else
            silent_since_.erase(event->host);
    }
    co_return true;
}

// The next event, but not for longer than somebody may still be silent.
Task<void> Surveyor::receive() {
    using namespace asio::experimental::awaitable_operators;
    if (silent_since_.empty()) {
        co_await next_event();
    } else {
        using Silent = decltype(silent_since_)::value_type;
        const TimePoint since = std::ranges::min_element(silent_since_, {}, &Silent::second)->second;
        co_await (next_event() || context_.clock().sleep(since + patience - context_.clock().now()));
    }
}

// Kept, not returned: it must not be lost if it comes at the same time as something else.
Task<void> Surveyor::next_event() {
    event_ = co_await operation_.next();
    ended_ = !event_;
}

void Surveyor::leave_out_silent() {
    const TimePoint now = context_.clock().now();
    for (auto one = silent_since_.begin(); one != silent_since_.end();) {
        const auto [host, since] = *one++;
        if (now - since < patience) continue;
        silent_since_.erase(host);
        leave_out(host, "silent");
    }
}

void Surveyor::begin() {
    roster_.close();
    if (!roster_.closed()) return;
    plan_ = make_plan_(roster_.participant_names());
}

void Surveyor::send(const Batch& batch) {
    ++batch_;
    probing_ = batch.probing;
    if (gentle_) {
        probing_.pace_us = std::max(probing_.pace_us, gentle_pace_us);
        probing_.lanes = 1;
    }
    expected_ += batch.pairs();
    for (HostNumber host = 0; host < batch.turns.size(); ++host) {
        if (batch.turns[host].empty() || roster_.is_out(host)) continue;
        measuring_.insert(host);
        const ToSurveyRole assignment =
            Assignment{batch_, host, probing_, batch.turns[host], peers_of(batch.turns[host])};
        operation_.send(roster_.participant(host).id, encode(assignment));
    }
    show_progress();
}

std::vector<TurnPeer> Surveyor::peers_of(const std::vector<Turn>& turns) const {
    std::map<HostNumber, TurnPeer> peers;
    for (const Turn& turn : turns) {
        const Host& host = roster_.participant(turn.peer);
        TurnPeer& peer = peers[turn.peer];
        peer.number = turn.peer;
        peer.id = host.id;
        peer.key = host.key;
        if (turn.measures) peer.at = {host.addresses, roster_.participants()[turn.peer].ports.probe_port};
    }
    std::vector<TurnPeer> all;
    all.reserve(peers.size());
    for (auto& [number, peer] : peers)
        all.push_back(std::move(peer));
    return all;
}

Task<bool> Surveyor::gather() {
    const TimePoint begun = context_.clock().now();
    bool going = true;
    while (going && !measuring_.empty())
        going = co_await step();
    load_.add_time(std::chrono::duration<double>(context_.clock().now() - begun).count());
    std::erase_if(samples_,
                  [this](const PairSample& s) { return roster_.is_out(s.a) || roster_.is_out(s.b); });
    plan_->take(samples_);
    samples_.clear();
    co_return going;
}

void Surveyor::take(HostId from, const Answer& answer) {
    const auto host = roster_.number_of(from);
    if (!host || answer.batch != batch_ || !measuring_.contains(*host)) return;
    for (const PairSample& sample : answer.samples) {
        if (sample.a != *host || sample.b >= roster_.participants().size() || sample.b == *host) continue;
        samples_.push_back(sample);
        ++measured_;
        ++met_[sample.a];
        ++met_[sample.b];
    }
    load_.add(answer.probes, answer.samples.size() * static_cast<std::size_t>(std::max(probing_.sets, 0)),
              answer.probes_per_second);
    if (answer.complete) measuring_.erase(*host);
    for (const Miss& miss : answer.misses)
        count_miss(*host, miss);
    show_progress();
}

void Surveyor::count_miss(HostNumber from, const Miss& miss) {
    if (miss.peer >= roster_.participants().size()) return;
    missed_[from].insert(miss.peer);
    missed_[miss.peer].insert(from);
    for (const HostNumber host : {miss.peer, from}) {
        const std::size_t misses = missed_[host].size();
        if (misses < telling_misses || misses <= met_[host]) continue;
        leave_out(roster_.participants()[host].id,
                  "out of reach of " + std::to_string(misses) + " other hosts: " + miss.why);
    }
}

void Surveyor::leave_out(HostId host, const std::string& why) {
    if (!roster_.leave_out(host, why)) return;
    const auto number = roster_.number_of(host);
    if (!number) return;
    plan_->leave_out(*number);
    measuring_.erase(*number);
    const ToSurveyRole skip = Skip{*number};
    operation_.send_all(encode(skip));
}

void Surveyor::show_progress() {
    context_.progress("infer: " + std::to_string(measured_) + " of " + std::to_string(expected_) + " pairs");
}

}  // namespace trellis::plugins::infer
