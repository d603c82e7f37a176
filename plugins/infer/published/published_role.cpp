#include "plugins/infer/published/published_role.hpp"

#include <algorithm>

#include <boost/asio/experimental/awaitable_operators.hpp>

namespace trellis::plugins::infer {

PublishedRole::PublishedRole(RoleContext& context, const InferRequest& request)
    : context_(context), changed_(context.world().executor) {
    plan_.sets = request.sets;
    plan_.round_trips = request.round_trips;
    plan_.patience = request.patience;
}

Task<RoleResult> PublishedRole::run() {
    RoleResult result;
    auto probing = context_.world().prober.open(context_.peers());
    if (!probing) {
        result.outcome = Outcome::of(probing.error());
        co_return result;
    }
    probing_ = std::move(*probing);
    messenger_ = std::make_unique<PeerMessenger>(context_);
    const Ready ready{probing_->endpoint().port, messenger_->endpoint().port};
    tell_root(ready);
    Task<RoleResult> part = work();
    result = co_await messenger_->run(std::move(part));
    co_return result;
}

Task<RoleResult> PublishedRole::work() {
    using namespace asio::experimental::awaitable_operators;
    co_await (read_messages() || take_part());
    co_return RoleResult{};
}

Task<void> PublishedRole::read_messages() {
    while (auto message = co_await messenger_->receive()) {
        handle(*message);
        changed_.notify();
    }
}

void PublishedRole::handle(const PeerMessage& received) {
    auto message = decode<ToRole>(received.body);
    if (!message) return;
    if (auto* passed = std::get_if<TreePassed>(&*message)) return accept_tree(std::move(*passed));
    if (received.from != root_id) return;
    if (const auto* gone = std::get_if<Skip>(&*message)) return skip(gone->host);
    if (begin_) return;
    begin_ = std::move(std::get<Begin>(*message));
    gone_.assign(begin_->hosts.size(), false);
    for (const Participant& host : begin_->hosts)
        messenger_->learn(host.id, endpoint_of(host, host.ports.talk_port));
    position_ = static_cast<std::size_t>(
        std::find_if(begin_->order.begin(), begin_->order.end(),
                     [&](HostNumber host) { return begin_->hosts[host].id == context_.peers().self; }) -
        begin_->order.begin());
}

void PublishedRole::accept_tree(TreePassed passed) {
    if (passed.tree.nodes.size() > 2 * most_hosts) return;
    std::optional<TravellingTree>& place = passed.whole ? whole_ : early_;
    if (!place) place = std::move(passed.tree);
}

void PublishedRole::skip(HostNumber host) {
    if (!begin_) return;
    if (host < gone_.size()) gone_[host] = true;
}

bool PublishedRole::first_of_all() const {
    return std::all_of(begin_->order.begin(), begin_->order.begin() + static_cast<std::ptrdiff_t>(position_),
                       [this](HostNumber host) { return gone_[host]; });
}

// Position of the next host that is there; the number of hosts if there is none.
std::size_t PublishedRole::next_position() const {
    std::size_t next = position_ + 1;
    while (next < gone_.size() && gone_at(next))
        ++next;
    return next;
}

Task<void> PublishedRole::take_part() {
    while (!begin_)
        co_await changed_.wait();
    if (position_ >= begin_->order.size()) co_return;
    Measurements known;
    while (!early_ && !whole_ && !first_of_all())
        co_await changed_.wait();
    if (early_ || whole_) {
        const TravellingTree early = early_ ? *early_ : *whole_;
        if (validate(early, begin_->hosts.size())) known = co_await search_close_host(early);
    }
    while (!whole_ && !first_of_all())
        co_await changed_.wait();
    TravellingTree whole;
    if (whole_ && validate(*whole_, begin_->hosts.size())) whole = std::move(*whole_);
    own_ = co_await insert(std::move(whole), std::move(known));
    tell_root(Placed{inserted_});
    co_await keep_passing();
}

Task<Measurements> PublishedRole::search_close_host(const TravellingTree& early) {
    CloseHostSearch search(early, begin_->seed + position_);
    while (const auto peer = search.next()) {
        const auto measured = co_await measure(*peer);
        measured ? search.answer(*measured) : search.no_answer();
    }
    co_return search.measurements();
}

Task<TravellingTree> PublishedRole::insert(TravellingTree whole, Measurements known) {
    Insertion insertion(std::move(whole), self_number(), std::move(known), begin_->seed + position_);
    while (const auto peer = insertion.next()) {
        const auto measured = co_await measure(*peer);
        measured ? insertion.answer(*measured) : insertion.no_answer();
    }
    inserted_ = insertion.inserted();
    co_return insertion.tree();
}

Task<std::optional<PairMeasurement>> PublishedRole::measure(HostNumber peer) {
    if (gone_[peer]) co_return std::nullopt;
    const Participant& participant = begin_->hosts[peer];
    Endpoint at = endpoint_of(participant, participant.ports.probe_port);
    const auto result = co_await probing_->measure(participant.id, std::move(at), plan_);
    if (!result || result->minima.empty()) co_return std::nullopt;
    co_return summarize(result->minima);
}

Endpoint PublishedRole::endpoint_of(const Participant& participant, std::uint16_t port) const {
    const auto& all = context_.peers().participants;
    const auto host =
        std::find_if(all.begin(), all.end(), [&](const Host& h) { return h.id == participant.id; });
    Endpoint endpoint;
    endpoint.port = port;
    if (host != all.end()) endpoint.addresses = host->addresses;
    return endpoint;
}

// Until the operation ends this host answers probes, and passes its tree again when the one it gave it to is
// lost.
Task<void> PublishedRole::keep_passing() {
    for (;;) {
        if (passed_to_ != next_position()) {
            co_await pass();
        } else {
            co_await changed_.wait();
        }
    }
}

Task<void> PublishedRole::pass() {
    const std::size_t next = next_position();
    const bool first_time = !passed_to_;
    passed_to_ = next;
    if (next == begin_->order.size()) {
        tell_root(Finished{*own_});
        co_return;
    }
    co_await pass_to(next, true);
    const std::size_t ahead = position_ + lookahead;
    if (first_time && ahead < begin_->order.size() && ahead != next && !gone_at(ahead))
        co_await pass_to(ahead, false);
}

Task<void> PublishedRole::pass_to(std::size_t position, bool whole) {
    const ToRole message = TreePassed{whole, *own_};
    co_await messenger_->send(begin_->hosts[begin_->order[position]].id, encode(message));
}

}  // namespace trellis::plugins::infer
