#include "plugins/bcast/broadcast.hpp"

#include "plugins/bcast/progress_line.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include <boost/asio/this_coro.hpp>

namespace trellis::plugins::bcast {
namespace {

constexpr Duration time_to_be_ready = std::chrono::seconds(20);
constexpr std::size_t most_feeds = 4096;
// Hosts speak every half second.
constexpr Duration most_silence = std::chrono::milliseconds(750);
// Of the source to a host that gets nothing, which then needs up to a second to see that again.
constexpr int most_namings = 10;
constexpr Duration time_between_namings = std::chrono::seconds(1);
constexpr const char* files_hang = "its files have not answered for a minute";
constexpr Duration time_to_end = std::chrono::seconds(65);  // of a host that is told to: it may remove much

}  // namespace

Broadcast::Broadcast(CommandContext& context, About about, Source* source, std::vector<Host> hosts, Wish wish)
    : context_(context),
      about_(std::move(about)),
      source_(source),
      hosts_(std::move(hosts)),
      wish_(std::move(wish)),
      started_(context.clock().now()) {
    for (const Host& host : hosts_)
        parts_[host.id];
}

Task<Report> Broadcast::run() {
    const Executor executor = co_await asio::this_coro::executor;
    holding_.emplace(executor, about_.shape, Producer::kept_chunks);
    if (source_) producer_.emplace(*source_, *holding_);
    crew_.emplace(executor);
    if (!producer_) holding_->stop(unavailable("none of the hosts before it can be reached"));
    OperationRequest start;
    start.kind = "bcast";
    for (const Host& host : hosts_)
        start.hosts.push_back(host.id);
    start.peers = true;
    start.root_meets = true;
    start.plain = wish_.plain;
    start.body = encode(request());
    operation_ = context_.operations().start(std::move(start));
    const auto read_again = [this](ChunkNumber chunk) { return producer_->read_again(chunk); };
    service_.emplace(*operation_, context_.clock(), *holding_, *crew_, read_again, wish_.limit,
                     wish_.slowest_link);
    Task<Report> conducted = conduct();
    co_return co_await crew_->run(std::move(conducted));
}

Task<Report> Broadcast::conduct() {
    if (producer_) crew_->add(produce());
    crew_->add(keep_time());
    while (const auto event = co_await operation_->next()) {
        take(*event);
        advance();
    }
    co_return report();
}

void Broadcast::take(const OperationEvent& event) {
    if (const auto* message = std::get_if<HostMessage>(&event.what)) {
        if (const auto decoded = decode<ToRoot>(message->body)) take(event.host, *decoded);
    } else if (const auto* result = std::get_if<RoleResult>(&event.what)) {
        Part& part = parts_[event.host];
        part.awaited = false;
        if (event.host == wish_.source && !sealed_) tell_to_end(result->outcome.detail);
        if (!result->outcome.ok())
            leave_out(event.host, result->outcome.detail);
        else if (part.state != State::has)
            leave_out(event.host, "it ended without the object");
    }
}

void Broadcast::take(HostId host, const ToRoot& message) {
    Part& part = parts_[host];
    if (const auto* ready = std::get_if<Ready>(&message)) {
        part.ready = *ready;
        if (part.state == State::asked) part.state = host == wish_.source ? State::has : State::ready;
    } else if (const auto* ask = std::get_if<Ask>(&message)) {
        if (crew_->size() < most_feeds) crew_->add(answer(host, *ask));
    } else if (const auto* progress = std::get_if<Progress>(&message)) {
        part.stored = progress->stored;
        if (part.state == State::asked) started_ = context_.clock().now();  // it is at what it has kept
        if (formation_) progressed(host, progress->end);
    } else if (const auto* passed = std::get_if<Passed>(&message)) {
        if (!formation_) return;
        formation_->cannot_reach(host, passed->unreached);
        turn(formation_->passed(host, passed->hosts, passed->giver));
    } else if (const auto* sealed = std::get_if<Sealed>(&message)) {
        if (host == wish_.source) seal(*sealed);
    } else if (const auto* judged = std::get_if<Judged>(&message)) {
        if (host == wish_.source) judged_ = *judged;
        holding_->changed.notify();
    } else if (std::holds_alternative<Hangs>(message)) {
        part.awaited = false;
        if (part.state != State::has) give_up(host, files_hang);
    } else {
        part.state = State::has;
        part.stored = about_.shape.chunks().value_or(holding_->chunks());
        part.had = ended_ = context_.clock().now();
        if (formation_) formation_->finished(host, {part.stored, 0});
    }
}

void Broadcast::progressed(HostId host, Position end) {
    const TimePoint now = context_.clock().now();
    if (producer_ && formation_->giver(host) == root_id)
        formation_->progressed(root_id, holding_->end(), now);
    formation_->progressed(host, end, now);
}

// A host that has found nobody takes the place of those that should give to it if none of them is heard any
// more; else it may find somebody at the end, who has time.
Task<void> Broadcast::answer(HostId host, Ask ask) {
    if (!formation_) co_return;
    std::vector<HostId> silent;
    HostId giver = formation_->giver(host);
    while (giver != root_id && giver != wish_.source) {
        const bool gone = co_await is_silent(giver);
        if (!gone) break;
        silent.push_back(giver);
        giver = formation_->giver(giver);
        if (std::ranges::find(silent, giver) != silent.end()) break;  // one that waits, or two at the end
    }
    const bool first = giver == root_id;
    const auto changes = first ? formation_->passed(host, silent, root_id) : formation_->found_nobody(host);
    turn(changes);
    const auto mine = std::ranges::find(changes, host, &Formation::Change::host);
    const bool turned = mine != changes.end() || co_await name_source(host, ask);
    if (turned) co_return operation_->finish(host, ask.stream);
    co_await feed(host, ask);
}

// What lies on a host the root cannot give: who reaches nobody else tries that one again after a while.
// False: it has done so often enough, with nothing coming.
Task<bool> Broadcast::name_source(HostId host, Ask ask) {
    Part& part = parts_.at(host);
    if (producer_) co_return false;
    if (std::exchange(part.asked, ask.from) != ask.from) part.named_from_there = 0;
    if (part.named_from_there == most_namings) co_return false;
    ++part.named_from_there;
    co_await context_.clock().sleep(time_between_namings);
    turn({formation_->back_to_source(host)});
    co_return true;
}

// Nothing is heard of it from now on, for as long as it takes to be sure.
Task<bool> Broadcast::is_silent(HostId host) {
    const TimePoint asked = context_.clock().now();
    while (formation_->heard(host) <= asked) {
        if (context_.clock().now() - formation_->heard(host) > most_silence) co_return true;
        co_await context_.clock().sleep(tick);
    }
    co_return false;
}

void Broadcast::leave_out(HostId host, const std::string& cause) {
    if (formation_) formation_->leave_out(host);
    Part& part = parts_[host];
    part.state = State::out;
    if (part.cause.empty()) part.cause = cause.empty() ? "failed" : cause;
}

// Its role ends only when its files answer, which may be never.
void Broadcast::give_up(HostId host, const std::string& cause) {
    leave_out(host, cause);
    parts_[host].awaited = false;
    const ToRole finish = Finish{parts_[host].cause};
    operation_->send(host, encode(finish));
}

std::size_t Broadcast::count(State state) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(parts_, [state](const auto& each) { return each.second.state == state; }));
}

void Broadcast::advance() {
    const TimePoint now = context_.clock().now();
    const bool all_late = now - started_ > time_to_be_ready && !awaits_source();
    if (!begun_ && (count(State::asked) == 0 || all_late)) {
        begun_ = true;
        crew_->add(begin());
    }
    const std::size_t settled = count(State::has) + count(State::out);
    if (begun_ && !finished_ && settled == parts_.size()) {
        finished_ = true;
        tell_to_end({});
    }
    if (told_to_end_ && now - *told_to_end_ > time_to_end) {
        for (auto& [host, part] : parts_)
            if (std::exchange(part.awaited, false) && part.state != State::has) leave_out(host, files_hang);
    }
    const auto awaited = [](const auto& each) { return each.second.awaited; };
    if (finished_ && std::ranges::none_of(parts_, awaited)) operation_->abandon();
}

void Broadcast::turn(const std::vector<Formation::Change>& changes) {
    for (const Formation::Change& change : changes) {
        const ToRole message = Turn{change.to};
        operation_->send(change.host, encode(message));
    }
}

void Broadcast::seal(const Sealed& sealed) {
    sealed_ = true;
    tell_all(sealed);
}

void Broadcast::tell_to_end(const std::string& cause) {
    if (!told_to_end_) told_to_end_ = context_.clock().now();
    tell_all(Finish{cause});
}

// Where the object lies there may be much to look through; whoever does so ends it if the files hang.
bool Broadcast::awaits_source() const {
    return wish_.source != root_id && parts_.at(wish_.source).state == State::asked;
}

Task<void> Broadcast::produce() {
    const Result<void> produced = co_await producer_->run();
    if (produced)
        seal(Sealed{holding_->digest_of_all()});
    else
        tell_to_end(produced.error().message());
}

Task<void> Broadcast::feed(HostId host, Ask ask) {
    Part& part = parts_.at(host);
    std::function<void()> on_tree = [&part] { part.by_tree = true; };
    co_await service_->serve(host, part.ready.endpoint, ask, std::move(on_tree));
    if (producer_ && holding_->stopped()) tell_to_end(holding_->stopped()->message());
}

Task<void> Broadcast::keep_time() {
    while (true) {
        const TimePoint before = context_.clock().now();
        co_await context_.clock().sleep(tick);
        holding_->beat(holding_->pulse() + 1);
        advance();
        // Without a processor it has sent nothing, and the first host got nothing.
        const bool stood_still = context_.clock().now() - before > 2 * tick;
        if (formation_ && stood_still) formation_->forget_rates();
        if (formation_) turn(formation_->relieve());
        if (begun_ && !finished_) show_progress();
    }
}

// Of all that has to be stored by the hosts that still take part.
void Broadcast::show_progress() {
    ProgressFigures figures;
    for (const auto& [id, part] : parts_) {
        if (part.state == State::out) continue;
        ++figures.hosts;
        const Shape& shape = about_.shape;
        const ChunkNumber stored = std::min(part.stored, shape.chunks().value_or(part.stored));
        figures.stored += static_cast<double>(shape.content_before(stored));
        if (part.goes_on) figures.kept += static_cast<double>(shape.content_before(part.ready.kept.chunks));
    }
    if (figures.hosts == 0) return;
    figures.stored /= static_cast<double>(figures.hosts);
    figures.kept /= static_cast<double>(figures.hosts);
    if (about_.shape.chunks()) figures.all = about_.shape.content_bytes;
    figures.seconds = std::chrono::duration<double>(context_.clock().now() - started_).count();
    figures.have = count(State::has);
    context_.progress(progress_line(figures));
}

Report Broadcast::report() const {
    Report report;
    for (const Host& host : hosts_) {
        const Part& part = parts_.at(host.id);
        const Duration taken = std::max(part.had - started_, Duration(0));  // the source has it before
        HostReport one{host.name, part.cause, taken, part.by_tree, 0, false};
        const Kept& kept = part.ready.kept;
        if (part.goes_on) one.kept = about_.shape.content_before(kept.chunks);
        one.anew = kept.other_source || (kept.chunks > 0 && !part.goes_on);
        report.hosts.push_back(std::move(one));
    }
    report.bytes = about_.shape.content_bytes.value_or(holding_->content_bytes());
    const TimePoint ended = ended_ == TimePoint() ? context_.clock().now() : ended_;
    report.taken = ended - started_;
    return report;
}

}  // namespace trellis::plugins::bcast
