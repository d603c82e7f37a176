#include "plugins/bcast/upstream.hpp"

#include "plugins/bcast/feeder.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace trellis::plugins::bcast {
namespace {

constexpr int patience = 5;         // ticks
constexpr int patience_blind = 50;  // with a host that knows nothing of the source: they may go in a circle
constexpr Duration connect_time = std::chrono::seconds(1);
constexpr std::size_t most_unstored = 8;  // chunks: a disk that is slower holds up what comes
constexpr int most_asks_of_root = 3;

Failure cancelled() {
    return {FailureKind::cancelled, "", "", "another host is to be asked"};
}

Failure damaged() {
    return {FailureKind::lost, "", "", "what came was damaged"};
}

Failure ended() {
    return {FailureKind::lost, "", "", "the host before this one ended"};
}

Failure too_much() {
    return invalid("a peer sent more than the object has");
}

}  // namespace

// Connections that are tried at the same time.
struct Upstream::Race {
    std::vector<Member> members;  // the best one first
    std::vector<std::optional<Stream>> outcomes;
    std::optional<TimePoint> first;  // when one stood
    bool over = false;

    // The best one that stands, if there is none before it that may stand soon.
    [[nodiscard]] std::optional<std::size_t> winner(TimePoint now) const {
        for (std::size_t i = 0; i < outcomes.size(); ++i) {
            if (outcomes[i] && *outcomes[i]) return i;
            if (!outcomes[i] && !(first && now - *first >= grace)) return std::nullopt;
        }
        return std::nullopt;
    }
    [[nodiscard]] bool lost() const {
        return std::ranges::all_of(outcomes, [](const auto& outcome) { return outcome && !*outcome; });
    }
    static constexpr Duration grace = std::chrono::milliseconds(100);
};

void Upstream::begin(const Begin& begin) {
    chain_ = begin.chain;
    source_ = begin.source;
    const std::vector<Member> nodes = begin.nodes();
    const auto self = std::ranges::find(nodes, context_.peers().self, &Member::id);
    const auto node = static_cast<std::size_t>(self - nodes.begin());
    for (const std::size_t giver : givers_of(begin.method, node))
        if (nodes[giver].endpoint.port != 0) left_.push_back(nodes[giver]);
    std::ranges::reverse(left_);
    if (nodes[giver_of(begin.method, node)].id == root_id) turned_ = Member{root_id, {}};
}

void Upstream::turn(const Turn& turn) {
    const auto to = std::ranges::find(chain_, turn.to, &Member::id);
    if (turn.to == giver_.id && stream_) return;
    if (turn.to == root_id) turned_ = Member{root_id, {}};
    if (to != chain_.end()) turned_ = *to;
    close();
}

Task<void> Upstream::take_over(std::shared_ptr<ByteStream> connection) {
    const std::string offer = co_await read_first(*connection, offer_size);
    const auto number = decode<std::uint32_t>(offer);
    if (number && from_root_ && stream_ == from_root_ && *number == from_root_->number())
        co_await from_root_->take_over(std::move(connection));
}

Task<Result<void>> Upstream::fetch() {
    Result<void> fetched = unavailable("nobody can be asked any more");
    while (true) {
        std::vector<Member> members = next_members();
        if (members.empty()) co_return fetched;
        const Stream stream = co_await reach(std::move(members));
        if (!stream) continue;
        fetched = co_await fetch_from(stream);
        close();
        if (fetched || (filing_ && filing_->failed())) co_return fetched;
        if (turned_ || giver_.id == root_id) continue;
        if (was_silent_ && retried_.insert(giver_.id).second) {
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
    const auto race = std::make_shared<Race>();
    race->members = std::move(members);
    race->outcomes.resize(race->members.size());
    for (std::size_t i = 0; i < race->members.size(); ++i)
        crew_.add(connect(race, i));
    const Clock& clock = context_.world().clock;
    std::optional<std::size_t> winner;
    while (!(winner = race->winner(clock.now())) && !race->lost())
        co_await holding_.changed.wait();
    race->over = true;
    if (!winner) {
        passed_.clear();  // it may well be this host that cannot be reached
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
    const Member& peer = race->members[runner];
    auto stream = co_await network.connect(context_.peers(), peer.id, peer.endpoint, connect_time);
    if (race->over) co_return;
    race->outcomes[runner] = stream ? Stream(std::move(*stream)) : nullptr;
    if (stream && !race->first) race->first = context_.world().clock.now();
    holding_.changed.notify();
}

void Upstream::tell_passed() {
    if (passed_.empty()) return;
    const ToRoot message = Passed{std::exchange(passed_, {}), giver_.id};
    context_.send(root_id, encode(message));
}

Task<Result<void>> Upstream::fetch_from(Stream stream) {
    if (turned_) co_return cancelled();
    stream_ = stream;
    reader_ = {};
    zeros_ = 0;
    ticks_without_source_ = 0;
    was_silent_ = false;
    if (holding_.coming_packed()) holding_.begin_again();  // this one may have it otherwise
    const Position from = holding_.end();
    std::string request = encode(from);
    const Result<void> asked = co_await stream->write(std::move(request));
    if (!asked) co_return asked;
    co_return co_await take_all(*stream);
}

Task<Result<void>> Upstream::take_all(ByteStream& stream) {
    while (!holding_.finished()) {
        while (holding_.unstored() > most_unstored)
            co_await holding_.changed.wait();
        const Result<void> taken = co_await take_some(stream);
        if (!taken) co_return taken;
    }
    co_return Result<void>();
}

// Bytes of the object come straight to their place; what stands between them is short, and read without them
// if they are to go to a file.
Task<Result<void>> Upstream::take_some(ByteStream& stream) {
    if (zeros_ > 0) co_return co_await take_zeros();
    if (reader_.data_left() > 0) co_return co_await take_data(stream);
    std::string bytes(filing_ ? reader_.lacking() : 64, '\0');
    const Result<std::size_t> size = co_await read(stream, bytes);
    if (!size) co_return size.error();
    bytes.resize(*size);
    co_return take(std::move(bytes));
}

Task<Result<void>> Upstream::take_data(ByteStream& stream) {
    if (filing_ && !reader_.data_packed() && filing_->takes_coming()) co_return co_await take_to_file(stream);
    const Result<Holding::Place> place = holding_.place(reader_.data_left(), reader_.data_packed());
    if (!place) co_return place.error();
    const Result<std::size_t> size = co_await read(stream, place->space);
    if (!size) co_return size.error();
    ticks_without_source_ = 0;
    reader_.took(*size);
    holding_.came(*size);
    co_return Result<void>();
}

Task<Result<void>> Upstream::take_to_file(ByteStream& stream) {
    if (reader_.data_left() > holding_.space_left()) co_return too_much();
    auto pulling = stream.pull(reader_.data_left());
    auto pulled = co_await heard(std::move(pulling));
    if (!pulled) co_return pulled.error();
    if (!*pulled) co_return ended();
    const std::size_t size = (*pulled)->size();
    ticks_without_source_ = 0;
    reader_.took(size);
    const Result<FilePlace> place = co_await filing_->put(size, pulled->get());
    if (!place) co_return place.error();
    if (!stream_) co_return damaged();
    holding_.came_to(*place, size, false);
    co_return Result<void>();
}

Task<Result<void>> Upstream::take_zeros() {
    const std::size_t size = std::exchange(zeros_, 0);
    if (size > holding_.space_left()) co_return too_much();
    const Result<FilePlace> place = co_await filing_->put(size, nullptr);
    if (!place) co_return place.error();
    if (!stream_) co_return damaged();
    holding_.came_to(*place, size, true);
    co_return Result<void>();
}

// What is read, while silence is counted.
template <class T>
Task<Result<T>> Upstream::heard(Task<Result<T>> reading) {
    if (!stream_) co_return damaged();
    silent_ticks_ = 0;
    reading_ = true;
    Result<T> got = co_await std::move(reading);
    reading_ = false;
    if (got && !stream_) co_return damaged();
    co_return got;
}

// At least one byte.
Task<Result<std::size_t>> Upstream::read(ByteStream& stream, std::span<char> space) {
    auto reading = stream.read_into(space);
    const Result<std::size_t> size = co_await heard(std::move(reading));
    if (size && *size == 0) co_return ended();
    co_return size;
}

Result<void> Upstream::take(std::string bytes) {
    reader_.feed(std::move(bytes));
    while (true) {
        const auto next = reader_.next();
        if (!next) return next.error();
        if (!*next) return {};
        Result<void> taken = take(**next);
        if (!taken) return taken;
    }
}

Result<void> Upstream::take(const Record& record) {
    switch (record.kind) {
        case RecordKind::zeros:
        case RecordKind::data:
            ticks_without_source_ = 0;
            if (record.kind == RecordKind::data || !filing_ || !filing_->takes_coming())
                return holding_.append(record.bytes);
            zeros_ = record.bytes.size();
            return {};
        case RecordKind::digest:
            return holding_.seal(record.bytes);
        case RecordKind::packed:
            ticks_without_source_ = 0;
            return holding_.append(record.bytes, true);
        case RecordKind::packed_end:
            return holding_.seal(record.bytes.substr(0, digest_size),
                                 decode<std::uint32_t>(record.bytes.substr(digest_size)).value());
        case RecordKind::again:
            holding_.begin_again();
            return {};
        case RecordKind::end:
            return holding_.finish();
        case RecordKind::stop:
            return unavailable(std::string(record.bytes));
        case RecordKind::heartbeat:
            break;
    }
    const auto pulse = decode<std::uint64_t>(record.bytes);
    if (pulse && *pulse > holding_.pulse()) ticks_without_source_ = 0;
    if (pulse) holding_.beat(*pulse);
    return {};
}

// Ticks, not time: a host that itself had no processor for a while has heard nobody.
void Upstream::check_silence() {
    const bool root = giver_.id == root_id;
    if (!reading_ || (root && !from_root_->is_direct())) return;
    was_silent_ = ++silent_ticks_ > patience;
    if (root && was_silent_) root_was_silent_ = true;
    if (was_silent_ || ++ticks_without_source_ > patience_blind) close();
}

void Upstream::close() {
    if (stream_) std::exchange(stream_, nullptr)->close();
}

}  // namespace trellis::plugins::bcast
