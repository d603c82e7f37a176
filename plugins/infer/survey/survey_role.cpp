#include "plugins/infer/survey/survey_role.hpp"

#include <algorithm>

#include <boost/asio/experimental/awaitable_operators.hpp>

namespace trellis::plugins::infer {

namespace {

constexpr Duration step_timeout = std::chrono::seconds(2);   // of a connection or a set
constexpr Duration busy_timeout = std::chrono::seconds(4);   // longer, of a set of late round trips
constexpr Duration turn_timeout = std::chrono::seconds(10);  // for a peer that still has other turns
constexpr Duration answer_interval = std::chrono::milliseconds(250);
constexpr Duration as_long_as_the_batch = std::chrono::hours(24);
constexpr std::int32_t most_lanes = 64;
constexpr std::size_t most_why = 200;  // bytes of a failure's cause

// Of a round trip on the average, beyond the least.
Duration delay_of(const ProbeResult& measured, Duration pace) {
    return measured.probing / measured.round_trips - pace - std::ranges::min(measured.minima);
}

}  // namespace

// One pair more that is measured now.
class SurveyRole::InFlight {
  public:
    explicit InFlight(SurveyRole& role) : role_(role) { ++role_.in_flight_; }
    ~InFlight() {
        --role_.in_flight_;
        role_.changed_.notify();
    }
    InFlight(const InFlight&) = delete;
    InFlight& operator=(const InFlight&) = delete;

  private:
    SurveyRole& role_;
};

SurveyRole::SurveyRole(RoleContext& context) : context_(context), changed_(context.world().executor) {}

Task<RoleResult> SurveyRole::run() {
    auto probing = context_.world().prober.open(context_.peers());
    if (!probing) co_return RoleResult{Outcome::of(probing.error()), {}};
    probing_ = std::move(*probing);
    probing_->hold(true);
    tell_root(Ready{probing_->endpoint().port, 0});
    using namespace asio::experimental::awaitable_operators;
    co_await (read_messages() || take_part());
    co_return RoleResult{};
}

Task<void> SurveyRole::read_messages() {
    while (auto received = co_await context_.receive()) {
        if (auto message = decode<ToSurveyRole>(received->body)) handle(received->from, std::move(*message));
        changed_.notify();
    }
}

void SurveyRole::handle(HostId from, ToSurveyRole message) {
    if (const auto* forgone = std::get_if<Forgone>(&message)) {
        forgone_.emplace(forgone->batch, from);
    } else if (from != root_id) {
        return;
    } else if (auto* assignment = std::get_if<Assignment>(&message)) {
        accept(std::move(*assignment));
    } else {
        gone_.insert(std::get<Skip>(message).host);
    }
}

// Its peers may come from now on, and find those of the batch before no longer waited for.
void SurveyRole::accept(Assignment assignment) {
    if (assignment.batch <= current_.batch) return;
    introduce(assignment.peers);
    next_ = std::move(assignment);
}

void SurveyRole::introduce(const std::vector<TurnPeer>& peers) {
    std::vector<Host> hosts;
    for (const TurnPeer& peer : peers) {
        Host host;
        host.id = peer.id;
        host.key = peer.key;
        hosts.push_back(std::move(host));
    }
    probing_->introduce(std::move(hosts));
}

Task<void> SurveyRole::take_part() {
    using namespace asio::experimental::awaitable_operators;
    for (;;) {
        co_await until_next();
        begin();
        std::erase_if(forgone_, [this](const auto& one) { return one.first < current_.batch; });
        co_await (carry_out() || until_next());
    }
}

void SurveyRole::begin() {
    current_ = std::move(*next_);
    next_.reset();
    peers_.clear();
    for (TurnPeer& peer : current_.peers)
        if (peer.number != current_.self) peers_.insert_or_assign(peer.number, std::move(peer));
    std::erase_if(current_.turns, [this](const Turn& turn) { return !peers_.contains(turn.peer); });
}

Task<void> SurveyRole::until_next() {
    while (!next_)
        co_await changed_.wait();
}

Task<void> SurveyRole::carry_out() {
    using namespace asio::experimental::awaitable_operators;
    to_measure_ = static_cast<std::size_t>(std::ranges::count(current_.turns, true, &Turn::measures));
    const int lanes = current_.probing.in_turn ? 1 : std::clamp(current_.probing.lanes, 1, most_lanes);
    next_turn_ = 0;
    answer_ = {};
    answered_ = context_.world().clock.now();
    answer_if_due();
    if (current_.probing.in_turn) {
        co_await take_in_order();
    } else {
        co_await (fill_lanes(lanes) && serve_all(0, current_.turns.size()));
    }
}

Task<void> SurveyRole::take_in_order() {
    for (const Turn turn : current_.turns)
        co_await take(turn);
}

Task<void> SurveyRole::fill_lanes(std::int32_t lanes) {
    using namespace asio::experimental::awaitable_operators;
    if (lanes == 1) {
        co_await fill_lane();
    } else {
        co_await (fill_lanes(lanes / 2) && fill_lanes(lanes - lanes / 2));
    }
}

Task<void> SurveyRole::fill_lane() {
    while (next_turn_ < current_.turns.size()) {
        const Turn turn = current_.turns[next_turn_++];
        if (turn.measures) co_await take(turn);
    }
}

// All at once those turns from `first` to before `last` in which others measure this host.
Task<void> SurveyRole::serve_all(std::size_t first, std::size_t last) {
    using namespace asio::experimental::awaitable_operators;
    if (last - first > 1) {
        const std::size_t middle = first + (last - first) / 2;
        co_await (serve_all(first, middle) && serve_all(middle, last));
    } else if (first < last && !current_.turns[first].measures) {
        co_await take(current_.turns[first]);
    }
}

Task<void> SurveyRole::take(Turn turn) {
    using namespace asio::experimental::awaitable_operators;
    if (!pointless(turn)) {
        Task<void> part = turn.measures ? measure(turn.peer) : serve(turn.peer);
        co_await (std::move(part) || until_pointless(turn));
    }
    if (!turn.measures) co_return;
    --to_measure_;
    answer_if_due();
    if (const Duration rest = std::exchange(rest_, Duration::zero()); rest > Duration::zero())
        co_await context_.world().clock.sleep(rest);
}

Task<void> SurveyRole::measure(HostNumber peer) {
    while (in_flight_ >= window_.pairs())
        co_await changed_.wait();
    const InFlight counted(*this);
    const TurnPeer& other = peers_.at(peer);
    const ProbePlan how = plan();
    const TimePoint begun = context_.world().clock.now();
    // To connect sends as much as two probes.
    if (how.pace > Duration::zero()) co_await context_.world().clock.sleep(2 * how.pace);
    const auto measured = co_await probing_->measure(other.id, other.at, how);
    measured ? keep(peer, *measured) : miss(peer, measured.error());
    const TimePoint now = context_.world().clock.now();
    if (measured) {
        window_.ended(begun, now, delay_of(*measured, how.pace));
        rest_ = window_.rest(measured->probing);
    } else if (measured.error().kind == FailureKind::timed_out) {
        window_.ended(begun, now, how.timeout);
    }
}

void SurveyRole::keep(HostNumber peer, const ProbeResult& measured) {
    using Microseconds = std::chrono::duration<double, std::micro>;
    const auto [least, greatest] = std::ranges::minmax(measured.minima);
    answer_.samples.push_back(
        {current_.self, peer, Microseconds(least).count(), Microseconds(greatest - least).count()});
    answer_.probes += static_cast<std::uint64_t>(measured.round_trips);
    const double seconds = std::max(std::chrono::duration<double>(measured.probing).count(), 1e-6);
    answer_.probes_per_second =
        std::max(answer_.probes_per_second, measured.round_trips / seconds * in_flight_);
}

void SurveyRole::miss(HostNumber peer, const Failure& failure) {
    answer_.misses.push_back({peer, failure.cause.substr(0, most_why)});
    const ToSurveyRole forgone = Forgone{current_.batch};
    context_.send(peers_.at(peer).id, encode(forgone));
}

Task<void> SurveyRole::serve(HostNumber peer) {
    const ProbePlan how = plan();
    Duration most = as_long_as_the_batch;
    if (current_.probing.in_turn) most = how.turn + how.sets * (2 * how.timeout + how.round_trips * how.pace);
    co_await probing_->serve(peers_.at(peer).id, most);
}

// Nobody is there to take it with.
bool SurveyRole::pointless(Turn turn) const {
    return gone_.contains(turn.peer) || gone_.contains(current_.self) ||
           (!turn.measures && forgone_.contains({current_.batch, peers_.at(turn.peer).id}));
}

Task<void> SurveyRole::until_pointless(Turn turn) {
    while (!pointless(turn))
        co_await changed_.wait();
}

void SurveyRole::answer_if_due() {
    const TimePoint now = context_.world().clock.now();
    answer_.complete = to_measure_ == 0;
    if (!answer_.complete && answer_.misses.empty() && now - answered_ < answer_interval) return;
    answer_.batch = current_.batch;
    tell_root(std::exchange(answer_, {}));
    answered_ = now;
}

ProbePlan SurveyRole::plan() const {
    const Probing& probing = current_.probing;
    ProbePlan plan;
    plan.sets = probing.sets;
    plan.round_trips = probing.round_trips;
    plan.patience = probing.patience;
    plan.timeout = step_timeout;
    plan.turn = turn_timeout;
    plan.busy = busy_timeout;
    plan.pace = std::chrono::microseconds(probing.pace_us);
    return plan;
}

}  // namespace trellis::plugins::infer
