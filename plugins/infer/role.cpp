// The agent side of `infer`: one host's part in the published method (planner.hpp). It answers the probes of
// others all the time; when the tree reaches it, it finds its own place and passes the tree on.
#include "trellis/plugin.hpp"

#include "agentd/core/mailbox.hpp"
#include "agentd/data/peer_messenger.hpp"
#include "plugins/infer/messages.hpp"
#include "plugins/infer/planner.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include <boost/asio/experimental/awaitable_operators.hpp>

namespace trellis::plugins::infer {
namespace {

class InferRole final : public Role {
  public:
    Task<RoleResult> run(RoleContext& context) override;

  private:
    Task<RoleResult> work();
    Task<void> read_messages();
    void handle(const PeerMessage& message);
    void accept_tree(TreePassed passed);
    void skip(HostNumber host);
    Task<void> take_part();
    Task<Measurements> search_close_host(const TravellingTree& early);
    Task<TravellingTree> insert(TravellingTree whole, Measurements known);
    Task<std::optional<PairMeasurement>> measure(HostNumber peer);
    Task<void> keep_passing();
    Task<void> pass();
    Task<void> pass_to(std::size_t position, bool whole);
    [[nodiscard]] Endpoint endpoint_of(const Begin::Participant& participant, std::uint16_t port) const;
    [[nodiscard]] bool gone_at(std::size_t position) const { return gone_[begin_->order[position]]; }
    [[nodiscard]] bool first_of_all() const;
    [[nodiscard]] std::size_t next_position() const;
    [[nodiscard]] HostNumber self_number() const { return begin_->order[position_]; }
    void tell_root(const ToRoot& message) { context_->send(root_id, encode(message)); }

    RoleContext* context_ = nullptr;
    ProbePlan plan_;
    std::unique_ptr<Prober::Session> probing_;
    std::unique_ptr<PeerMessenger> messenger_;
    std::optional<Signal> changed_;

    std::optional<Begin> begin_;
    std::size_t position_ = 0;             // of this host in the order
    std::vector<bool> gone_;               // by host number
    std::optional<TravellingTree> early_;  // from `lookahead` positions before
    std::optional<TravellingTree> whole_;  // from the host before
    std::optional<TravellingTree> own_;    // with this host, to be passed on
    std::optional<std::size_t> passed_to_;
    bool inserted_ = false;
};

Task<RoleResult> InferRole::run(RoleContext& context) {
    RoleResult result;
    const auto request = decode<InferRequest>(context.request());
    if (!request) {
        result.outcome = Outcome::of(request.error());
        co_return result;
    }
    context_ = &context;
    plan_.sets = request->sets;
    plan_.round_trips = request->round_trips;
    plan_.patience = request->patience;
    changed_.emplace(context.world().executor);
    auto probing = context.world().prober.open(context.peers());
    if (!probing) {
        result.outcome = Outcome::of(probing.error());
        co_return result;
    }
    probing_ = std::move(*probing);
    messenger_ = std::make_unique<PeerMessenger>(context);
    const Ready ready{probing_->endpoint().port, messenger_->endpoint().port};
    tell_root(ready);
    Task<RoleResult> work = this->work();
    result = co_await messenger_->run(std::move(work));
    co_return result;
}

Task<RoleResult> InferRole::work() {
    using namespace asio::experimental::awaitable_operators;
    co_await (read_messages() || take_part());
    co_return RoleResult{};
}

Task<void> InferRole::read_messages() {
    while (auto message = co_await messenger_->receive()) {
        handle(*message);
        changed_->notify();
    }
}

void InferRole::handle(const PeerMessage& received) {
    auto message = decode<ToRole>(received.body);
    if (!message) return;
    if (auto* passed = std::get_if<TreePassed>(&*message)) return accept_tree(std::move(*passed));
    if (received.from != root_id) return;
    if (const auto* gone = std::get_if<Skip>(&*message)) return skip(gone->host);
    if (begin_) return;
    begin_ = std::move(std::get<Begin>(*message));
    gone_.assign(begin_->hosts.size(), false);
    for (const Begin::Participant& host : begin_->hosts)
        messenger_->learn(host.id, endpoint_of(host, host.ports.talk_port));
    position_ = static_cast<std::size_t>(
        std::find_if(begin_->order.begin(), begin_->order.end(),
                     [&](HostNumber host) { return begin_->hosts[host].id == context_->peers().self; }) -
        begin_->order.begin());
}

void InferRole::accept_tree(TreePassed passed) {
    if (passed.tree.nodes.size() > 2 * most_hosts) return;
    std::optional<TravellingTree>& place = passed.whole ? whole_ : early_;
    if (!place) place = std::move(passed.tree);
}

void InferRole::skip(HostNumber host) {
    if (!begin_) return;
    if (host < gone_.size()) gone_[host] = true;
}

bool InferRole::first_of_all() const {
    return std::all_of(begin_->order.begin(), begin_->order.begin() + static_cast<std::ptrdiff_t>(position_),
                       [this](HostNumber host) { return gone_[host]; });
}

// Position of the next host that is there; the number of hosts if there is none.
std::size_t InferRole::next_position() const {
    std::size_t next = position_ + 1;
    while (next < gone_.size() && gone_at(next))
        ++next;
    return next;
}

Task<void> InferRole::take_part() {
    while (!begin_)
        co_await changed_->wait();
    if (position_ >= begin_->order.size()) co_return;
    Measurements known;
    while (!early_ && !whole_ && !first_of_all())
        co_await changed_->wait();
    if (early_ || whole_) {
        const TravellingTree early = early_ ? *early_ : *whole_;
        if (validate(early, begin_->hosts.size())) known = co_await search_close_host(early);
    }
    while (!whole_ && !first_of_all())
        co_await changed_->wait();
    TravellingTree whole;
    if (whole_ && validate(*whole_, begin_->hosts.size())) whole = std::move(*whole_);
    own_ = co_await insert(std::move(whole), std::move(known));
    tell_root(Placed{inserted_});
    co_await keep_passing();
}

Task<Measurements> InferRole::search_close_host(const TravellingTree& early) {
    CloseHostSearch search(early, begin_->seed + position_);
    while (const auto peer = search.next()) {
        const auto measured = co_await measure(*peer);
        measured ? search.answer(*measured) : search.no_answer();
    }
    co_return search.measurements();
}

Task<TravellingTree> InferRole::insert(TravellingTree whole, Measurements known) {
    Insertion insertion(std::move(whole), self_number(), std::move(known), begin_->seed + position_);
    while (const auto peer = insertion.next()) {
        const auto measured = co_await measure(*peer);
        measured ? insertion.answer(*measured) : insertion.no_answer();
    }
    inserted_ = insertion.inserted();
    co_return insertion.tree();
}

Task<std::optional<PairMeasurement>> InferRole::measure(HostNumber peer) {
    if (gone_[peer]) co_return std::nullopt;
    const Begin::Participant& participant = begin_->hosts[peer];
    Endpoint at = endpoint_of(participant, participant.ports.probe_port);
    const auto result = co_await probing_->measure(participant.id, std::move(at), plan_);
    if (!result || result->minima.empty()) co_return std::nullopt;
    co_return summarize(result->minima);
}

Endpoint InferRole::endpoint_of(const Begin::Participant& participant, std::uint16_t port) const {
    const auto& all = context_->peers().participants;
    const auto host =
        std::find_if(all.begin(), all.end(), [&](const Host& h) { return h.id == participant.id; });
    Endpoint endpoint;
    endpoint.port = port;
    if (host != all.end()) endpoint.addresses = host->addresses;
    return endpoint;
}

// Until the operation ends this host answers probes, and passes its tree again when the one it gave it to is
// lost.
Task<void> InferRole::keep_passing() {
    for (;;) {
        if (passed_to_ != next_position()) {
            co_await pass();
        } else {
            co_await changed_->wait();
        }
    }
}

Task<void> InferRole::pass() {
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

Task<void> InferRole::pass_to(std::size_t position, bool whole) {
    const ToRole message = TreePassed{whole, *own_};
    co_await messenger_->send(begin_->hosts[begin_->order[position]].id, encode(message));
}

}  // namespace

RoleEntry role() {
    return {"infer", []() -> std::unique_ptr<Role> { return std::make_unique<InferRole>(); }};
}

}  // namespace trellis::plugins::infer
