#include "plugins/bcast/upstream.hpp"

#include "plugins/bcast/feeder.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace trellis::plugins::bcast {
namespace {

constexpr Duration connect_time = std::chrono::seconds(1);
constexpr int most_asks_of_root = 3;
// What gathering may cost: of one host, and of all in a chain together.
constexpr Duration most_gathering = std::chrono::milliseconds(6),
                   all_gathering = std::chrono::milliseconds(200);

Failure cancelled() {
    return {FailureKind::cancelled, "", "", "another host is to be asked"};
}

}  // namespace

// Connections that are tried at the same time.
struct Upstream::Race {
    Race(std::vector<Member> runners, TimePoint now)
        : members(std::move(runners)), outcomes(members.size()), begun(now) {}

    std::vector<Member> members;  // the best one first
    std::vector<std::optional<Stream>> outcomes;
    TimePoint begun;
    std::optional<TimePoint> first;  // when one stood
    bool over = false;

    // For how long a better one may be later than the first.
    [[nodiscard]] Duration grace() const {
        return std::clamp<Duration>(2 * (*first - begun), std::chrono::milliseconds(20),
                                    std::chrono::milliseconds(100));
    }
    // The best one that stands, if there is none before it that may stand soon.
    [[nodiscard]] std::optional<std::size_t> winner(TimePoint now) const {
        for (std::size_t i = 0; i < outcomes.size(); ++i) {
            if (outcomes[i] && *outcomes[i]) return i;
            if (!outcomes[i] && !(first && now - *first >= grace())) return std::nullopt;
        }
        return std::nullopt;
    }
    [[nodiscard]] bool lost() const {
        return std::ranges::all_of(outcomes, [](const auto& outcome) { return outcome && !*outcome; });
    }
};

void Upstream::begin(const Begin& begin) {
    chain_ = begin.chain;
    source_ = begin.source;
    const std::vector<Member> nodes = begin.nodes();
    gathering_.most = std::min(most_gathering, all_gathering / static_cast<int>(nodes.size()));
    const auto self = std::ranges::find(nodes, context_.peers().self, &Member::id);
    if (self == nodes.begin() || self == nodes.end()) return;
    const auto node = static_cast<std::size_t>(self - nodes.begin());
    for (const std::size_t giver : givers_of(begin.method, node))
        if (nodes[giver].endpoint.port != 0) left_.push_back(nodes[giver]);
    std::ranges::reverse(left_);
    if (nodes[giver_of(begin.method, node)].id == root_id) turned_ = Member{root_id, {}};
}

void Upstream::turn(const Turn& turn) {
    const auto to = std::ranges::find(chain_, turn.to, &Member::id);
    if (turn.to == giver_.id && intake_.stream()) return;
    waits_ = turn.to == context_.peers().self;
    if (turn.to == root_id) turned_ = Member{root_id, {}};
    if (to != chain_.end() && !waits_) turned_ = *to;
    intake_.close();
}

Task<void> Upstream::take_over(std::shared_ptr<ByteStream> connection) {
    const std::string offer = co_await read_first(*connection, offer_size);
    const auto number = decode<std::uint32_t>(offer);
    if (number && from_root_ && intake_.stream() == from_root_ && *number == from_root_->number())
        co_await from_root_->take_over(std::move(connection));
}

Task<Result<void>> Upstream::fetch() {
    Result<void> fetched = unavailable("nobody can be asked any more");
    while (true) {
        while (waits_)
            co_await holding_.changed.wait();
        std::vector<Member> members = next_members();
        if (members.empty()) co_return fetched;
        const Stream stream = co_await reach(std::move(members));
        if (!stream) continue;
        fetched = cancelled();
        if (!turned_ && !waits_) {
            stream->gather(gathering_);
            fetched = co_await intake_.take(stream);
        }
        intake_.close();
        if (fetched || (filing_ && filing_->failed())) co_return fetched;
        if (turned_ && giver_.id == root_id) asks_of_root_ = 0;  // it has answered
        if (turned_ || waits_ || giver_.id == root_id) continue;
        if (intake_.was_silent() && retried_.insert(giver_.id).second) {
            if (left_.empty() && giver_.id != source_) turned_ = Member{root_id, {}};  // which may know more
            left_.push_back(giver_);
        } else {
            passed_.push_back(giver_.id);
        }
    }
}

// The first time the host before this one alone; when there are failures, ever more of those before it.
std::vector<Member> Upstream::next_members() {
    if (turned_) return {*std::exchange(turned_, std::nullopt)};
    if (left_.empty() && asks_of_root_++ < most_asks_of_root) return {Member{root_id, {}}};
    std::vector<Member> members;
    while (!left_.empty() && members.size() < at_once_) {
        members.push_back(std::move(left_.back()));
        left_.pop_back();
    }
    at_once_ = std::max<std::size_t>(8, 2 * at_once_);
    return members;
}

// The nearest one that answers; those that are nearer are not asked again, the others are.
Task<Upstream::Stream> Upstream::reach(std::vector<Member> members) {
    giver_ = members.front();
    if (giver_.id == root_id) {
        from_root_ = std::make_shared<RootStream>(context_, ++streams_, root_was_silent_);
        co_return from_root_;
    }
    const Clock& clock = context_.world().clock;
    const auto race = std::make_shared<Race>(std::move(members), clock.now());
    for (std::size_t i = 0; i < race->members.size(); ++i)
        crew_.add(connect(race, i));
    std::optional<std::size_t> winner;
    while (!(winner = race->winner(clock.now())) && !race->lost())
        co_await holding_.changed.wait();
    race->over = true;
    if (!winner) {
        passed_.clear();  // it may well be this host that cannot be reached
        for (const Member& member : race->members)
            unreached_.push_back(member.id);
        co_return nullptr;
    }
    const auto chosen = race->members.begin() + static_cast<std::ptrdiff_t>(*winner);
    for (auto nearer = race->members.begin(); nearer != chosen; ++nearer)
        passed_.push_back(nearer->id);
    giver_ = *chosen;
    tell_passed();
    left_.insert(left_.end(), std::make_reverse_iterator(race->members.end()),
                 std::make_reverse_iterator(chosen + 1));
    co_return *race->outcomes[*winner];
}

Task<void> Upstream::connect(std::shared_ptr<Race> race, std::size_t runner) {
    Network& network = context_.world().network;
    Clock& clock = context_.world().clock;
    const Member& peer = race->members[runner];
    auto stream = co_await network.connect(context_.peers(), peer.id, peer.endpoint, connect_time);
    if (race->over) co_return;
    race->outcomes[runner] = stream ? Stream(std::move(*stream)) : nullptr;
    const bool first = stream && !race->first;
    if (first) race->first = clock.now();
    holding_.changed.notify();
    if (!first) co_return;
    co_await clock.sleep(race->grace());
    holding_.changed.notify();
}

void Upstream::tell_passed() {
    if (passed_.empty() && unreached_.empty()) return;
    const ToRoot message = Passed{std::exchange(passed_, {}), giver_.id, std::exchange(unreached_, {})};
    context_.send(root_id, encode(message));
}

void Upstream::check_silence() {
    const bool root = giver_.id == root_id;
    if (!intake_.reading() || (root && !from_root_->is_direct())) return;
    intake_.check_silence();
    if (root && intake_.was_silent()) root_was_silent_ = true;
}

}  // namespace trellis::plugins::bcast
