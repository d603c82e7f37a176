#include "agentd/core/end_collector.hpp"

#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

namespace trellis {
namespace {

constexpr Duration longest_hold = std::chrono::milliseconds(20);
constexpr std::size_t small = 1000, most_held = std::size_t{512} << 10;  // bytes

Frame end_frame(FrameType type, OperationId operation, HostId source, std::string body) {
    Frame frame;
    frame.type = type;
    frame.bulk = true;  // behind the bytes that the operation has sent
    frame.source = source;
    frame.destination = root_id;
    frame.operation = operation;
    frame.body = std::move(body);
    return frame;
}

}  // namespace

EndCollector::EndCollector(Executor executor, Clock& clock, HostId self, std::function<void(Frame)> pass_on)
    : executor_(std::move(executor)), clock_(clock), self_(self), pass_on_(std::move(pass_on)) {}

void EndCollector::begin(OperationId operation, const Router::Split& hosts, bool known_above) {
    if (hosts.children.empty() || shares_.contains(operation)) return;
    std::vector<HostId> all;
    if (hosts.self) all.push_back(self_);
    std::map<HostId, HostSet> of_child;
    for (const auto& [child, below] : hosts.children) {
        all.insert(all.end(), below.begin(), below.end());
        of_child[child] = HostSet(below);
    }
    const bool whole = known_above && hosts.elsewhere.empty();
    shares_.emplace(operation, Share{EndMerger(HostSet(std::move(all)), whole), std::move(of_child),
                                     clock_.now(), TimePoint::max()});
}

void EndCollector::add(const Frame& done) {
    take(done.operation, {done.source}, done.body);
}

void EndCollector::add_merged(HostId child, const Frame& ends, const Router& router) {
    const auto merged = decode<MergedEnds>(ends.body);
    if (!merged) return;
    const HostSet* share = nullptr;
    if (const auto place = shares_.find(ends.operation); place != shares_.end()) {
        const auto known = place->second.of_child.find(child);
        if (known != place->second.of_child.end()) share = &known->second;
    }
    for (const EqualEnds& equal : expand(*merged, share)) {
        std::vector<HostId> hosts;
        for (const HostId host : equal.hosts.ids())
            if (router.originates_below(child, host)) hosts.push_back(host);
        take(ends.operation, hosts, equal.end);
    }
}

// What is not waited for, such as an end that is told again, goes on by itself.
void EndCollector::take(OperationId operation, const std::vector<HostId>& hosts, const std::string& end) {
    const auto place = shares_.find(operation);
    std::vector<HostId> alone = hosts;
    if (place != shares_.end()) {
        alone = place->second.merger.add(hosts, end);
        place->second.child_heard |= hosts != std::vector{self_};
    }
    if (self_ == root_id) alone = hosts;
    pass_by(operation, std::move(alone), end);
    if (const auto still = shares_.find(operation); still != shares_.end()) settle(still);
}

void EndCollector::pass_by(OperationId operation, std::vector<HostId> hosts, const std::string& end) {
    if (hosts.empty() || !pass_on_) return;
    if (hosts.size() == 1) return pass_on_(end_frame(FrameType::done, operation, hosts.front(), end));
    MergedEnds merged;
    merged.groups.emplace_back(end, HostSet(std::move(hosts)).prefix_to(""));
    pass_on_(end_frame(FrameType::ends, operation, self_, encode(merged)));
}

// Ends of children wait for others as long again as they took themselves: whoever answers late delays the
// others at most by so much. What is large waits longer: it would go up once more with those that come later.
void EndCollector::settle(Place place) {
    Share& share = place->second;
    if (share.merger.complete() || share.merger.bytes() > most_held) return flush(place);
    if (share.merger.bytes() == 0) return;
    const TimePoint now = clock_.now();
    const bool hurried = share.child_heard && share.merger.bytes() <= small;
    const Duration hold = hurried ? std::min(longest_hold, now - share.begun) : longest_hold;
    if (share.flush_at <= now + hold) return;
    share.flush_at = now + hold;
    asio::co_spawn(executor_, flush_later(weak_from_this(), place->first, hold), asio::detached);
}

void EndCollector::flush(Place place) {
    const OperationId operation = place->first;
    const MergedEnds merged = place->second.merger.take();
    place->second.flush_at = TimePoint::max();
    place->second.child_heard = false;
    if (place->second.merger.complete()) shares_.erase(place);
    const bool nothing = merged.groups.empty() && !merged.rest;
    if (nothing || self_ == root_id || !pass_on_) return;
    pass_on_(end_frame(FrameType::ends, operation, self_, encode(merged)));
}

Task<void> EndCollector::flush_later(std::weak_ptr<EndCollector> collector, OperationId operation,
                                     Duration hold) {
    Clock& clock = collector.lock()->clock_;
    co_await clock.sleep(hold);
    const auto self = collector.lock();
    if (!self) co_return;
    const auto place = self->shares_.find(operation);
    if (place != self->shares_.end()) self->flush(place);
}

void EndCollector::remove(HostId host) {
    for (auto place = shares_.begin(); place != shares_.end();) {
        const auto here = place++;
        here->second.of_child.erase(host);
        here->second.merger.remove(host);
        if (here->second.merger.complete()) flush(here);
    }
}

void EndCollector::forget_above() {
    for (auto& [operation, share] : shares_)
        share.merger.forget_above();
}

}  // namespace trellis
