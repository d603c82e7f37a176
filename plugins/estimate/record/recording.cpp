#include "plugins/estimate/record/recording.hpp"

#include <algorithm>
#include <limits>

#include <boost/asio/experimental/awaitable_operators.hpp>

namespace trellis::plugins::estimate {
namespace {

constexpr std::size_t most_hosts_between_all = 200;
constexpr Duration longest_timeout = std::chrono::seconds(3);
constexpr Duration ready_timeout = std::chrono::seconds(10);

double unix_seconds() {
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

Task<int> Recording::run() {
    if (const Result<void> chosen = choose_hosts(); !chosen) {
        context_.say("estimate: " + chosen.error().message());
        co_return 2;
    }
    Result<HistoryFile> file = HistoryFile::open(plan_.path, columns_);
    if (!file) {
        context_.say("estimate: " + file.error().message());
        co_return 1;
    }
    OperationRequest request;
    request.kind = "estimate";
    for (const Host& host : hosts_)
        request.hosts.push_back(host.id);
    operation_ = context_.operations().start(std::move(request));
    using namespace asio::experimental::awaitable_operators;
    try {
        co_await (read_events() || write_rows(*file));
    } catch (const asio::multiple_exceptions&) {  // Ctrl-C ends both
        throw boost::system::system_error(asio::error::operation_aborted);
    }
    if (!any_measures()) context_.say("estimate: no host is left that measures");
    operation_->cancel(CancelLevel::kill);
    co_return status_;
}

Result<void> Recording::choose_hosts() {
    hosts_ = context_.selection();
    if (hosts_.size() < 2) return invalid("record needs two selected hosts or more: see explore");
    if (plan_.between_all && hosts_.size() > most_hosts_between_all)
        return invalid("--between-all is for at most " + std::to_string(most_hosts_between_all) + " hosts");
    const auto root = root_.empty() ? hosts_.begin() : std::ranges::find(hosts_, root_, &Host::name);
    if (root == hosts_.end()) return invalid("--root " + root_ + " is not selected");
    root_number_ = static_cast<std::size_t>(root - hosts_.begin());
    ports_.resize(hosts_.size());
    out_.resize(hosts_.size());
    for (std::size_t from = 0; from < hosts_.size(); ++from)
        for (std::size_t to = 0; measures(from) && to < hosts_.size(); ++to)
            if (from != to) {
                column_of_[{from, to}] = columns_.size();
                columns_.push_back(hosts_[from].name + "->" + hosts_[to].name);
            }
    for (std::vector<double>& row : round_trips_)
        row.resize(columns_.size());
    return {};
}

std::size_t Recording::number_of(HostId host) const {
    return static_cast<std::size_t>(std::ranges::find(hosts_, host, &Host::id) - hosts_.begin());
}

bool Recording::any_measures() const {
    for (std::size_t host = 0; host < hosts_.size(); ++host)
        if (measures(host) && !out_[host]) return true;
    return false;
}

Task<void> Recording::read_events() {
    while (any_measures()) {
        const std::optional<OperationEvent> event = co_await operation_->next();
        if (!event) break;
        note(*event);
    }
}

void Recording::note(const OperationEvent& event) {
    if (const auto* result = std::get_if<RoleResult>(&event.what))
        return leave_out(event.host, result->outcome.detail);
    const auto* received = std::get_if<HostMessage>(&event.what);
    if (received == nullptr) return;
    const auto message = decode<ToRecorder>(received->body);
    if (!message) return;
    if (const auto* ready = std::get_if<Ready>(&*message)) ports_[number_of(event.host)] = ready->port;
    if (const auto* measured = std::get_if<Measured>(&*message)) take(event.host, *measured);
}

// What comes after its row has been written counts as lost.
void Recording::take(HostId host, const Measured& measured) {
    if (measured.row != row_ && measured.row + 1 != row_) return;
    for (const RoundTrip& trip : measured.round_trips)
        if (const auto column = column_of_.find({number_of(host), trip.peer}); column != column_of_.end())
            round_trips_[measured.row % 2][column->second] = trip.us / 1e3;
}

void Recording::leave_out(HostId host, const std::string& why) {
    const std::size_t number = number_of(host);
    if (out_[number]) return;
    out_[number] = true;
    status_ = 1;
    context_.say("estimate: " + hosts_[number].name + ": " + why);
}

Task<void> Recording::wait_until_ready() {
    const TimePoint latest = context_.clock().now() + ready_timeout;
    const auto waits = [this] {
        for (std::size_t host = 0; host < hosts_.size(); ++host)
            if (ports_[host] == 0 && !out_[host]) return true;
        return false;
    };
    while (waits() && context_.clock().now() < latest)
        co_await context_.clock().sleep(std::chrono::milliseconds(10));
    for (std::size_t host = 0; host < hosts_.size(); ++host)
        if (ports_[host] == 0 && !out_[host]) leave_out(hosts_[host].id, "does not answer");
}

Duration Recording::timeout() const {
    return std::min(longest_timeout, plan_.interval * 4 / 5);
}

void Recording::introduce() {
    for (std::size_t self = 0; self < hosts_.size(); ++self) {
        if (ports_[self] == 0) continue;
        Meet meet;
        meet.timeout_us = std::chrono::duration_cast<std::chrono::microseconds>(timeout()).count();
        for (std::size_t peer = 0; peer < hosts_.size(); ++peer) {
            if (peer == self || ports_[peer] == 0 || (!measures(self) && !measures(peer))) continue;
            RecordPeer other{static_cast<std::uint32_t>(peer), hosts_[peer].id, hosts_[peer].key, {}};
            if (measures(self)) other.at = {hosts_[peer].addresses, ports_[peer]};
            meet.peers.push_back(std::move(other));
        }
        operation_->send(hosts_[self].id, encode(ToRecordRole(std::move(meet))));
    }
}

void Recording::begin_row(std::uint64_t row) {
    row_ = row;
    round_trips_[row % 2].assign(columns_.size(), std::numeric_limits<double>::quiet_NaN());
    for (std::size_t host = 0; host < hosts_.size(); ++host)
        if (measures(host) && ports_[host] != 0)
            operation_->send(hosts_[host].id, encode(ToRecordRole(Measure{row})));
}

// Each row is written a while after its time is over: the hosts tell what they have measured when they know
// of all that was lost.
Task<void> Recording::write_rows(HistoryFile& file) {
    co_await wait_until_ready();
    introduce();
    const TimePoint started = context_.clock().now();
    const double epoch = std::max(unix_seconds(), file.last_time() + 0.001);
    const auto rows = plan_.length ? std::max<std::int64_t>(1, *plan_.length / plan_.interval)
                                   : std::numeric_limits<std::int64_t>::max();
    const Duration grace = std::min<Duration>(plan_.interval, std::chrono::seconds(1));
    for (std::int64_t row = 0; row <= rows && any_measures(); ++row) {
        const TimePoint begun = started + row * plan_.interval;
        co_await context_.clock().sleep_until(begun);
        if (row < rows) begin_row(static_cast<std::uint64_t>(row) + 1);
        if (row == 0) continue;
        co_await context_.clock().sleep_until(begun + grace);
        const double time = epoch + std::chrono::duration<double>((row - 1) * plan_.interval).count();
        const std::vector<double>& measured = round_trips_[static_cast<std::size_t>(row) % 2];
        if (const Result<void> written = file.append(time, measured); !written) {
            context_.say("estimate: " + written.error().message());
            status_ = 1;
            co_return;
        }
        context_.progress("estimate: " + std::to_string(row) + " rows");
    }
}

}  // namespace trellis::plugins::estimate
