#include "agentd/core/node.hpp"

#include <algorithm>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

namespace trellis {

Node::Node(Executor executor, Clock& clock, TreeSettings settings, HostId self, NodeUser& user)
    : executor_(std::move(executor)),
      clock_(clock),
      settings_(std::move(settings)),
      router_(self),
      user_(&user),
      ends_(std::make_shared<EndCollector>(executor_, clock_, self,
                                           [this](Frame frame) { pass_up(std::move(frame)); })),
      joins_(std::make_shared<Gathered<Joined>>(
          executor_, clock_, std::chrono::milliseconds(1),
          [this](const std::vector<Joined>& joins) { tell_joins(joins); })),
      unreachable_(std::make_shared<Gathered<HostId>>(
          executor_, clock_, std::chrono::milliseconds(1),
          [this](const std::vector<HostId>& hosts) { tell_unreachable(hosts); })) {}

void Node::start() {
    auto beating = [](std::shared_ptr<Node> node) -> Task<void> { co_await node->keep_heartbeats(); };
    asio::co_spawn(executor_, beating(shared_from_this()), asio::detached);
}

Task<void> Node::dismiss_children(Duration patience) {
    const auto self = shared_from_this();
    for (const auto& [id, child] : children_)
        dismiss(child);
    const auto listening = [](const auto& entry) { return !entry.second->suspect; };
    const TimePoint until = clock_.now() + patience;
    while (std::ranges::any_of(children_, listening) && clock_.now() < until)
        co_await clock_.sleep(std::chrono::milliseconds(5));
}

void Node::shutdown() {
    user_ = nullptr;
    ends_->close();
    for (auto& [id, child] : children_)
        child->link->close();
    children_.clear();
    if (parent_) parent_->link->close();
    parent_ = nullptr;
}

void Node::attach_parent(std::unique_ptr<Link> link) {
    if (const NeighbourPtr before = std::exchange(parent_, nullptr)) before->link->close();
    ends_->forget_above();
    parent_ = std::make_shared<Neighbour>();
    parent_->parent = true;
    parent_->link = std::move(link);
    attach(parent_);
    for (const auto& [id, child] : children_)  // it may not have heard
        if (child->suspect) user_->child_news(FrameType::suspect, ChildNews{id, {}, "silent", false});
}

void Node::attach_child(HostId child, std::unique_ptr<Link> link, const std::vector<HostId>& below) {
    detach_child(child);  // an orphan may come back before its loss is noticed
    auto neighbour = std::make_shared<Neighbour>();
    neighbour->id = child;
    neighbour->link = std::move(link);
    children_[child] = neighbour;
    router_.add_child(child);
    for (const HostId host : below)
        router_.learn(child, host);
    attach(neighbour);
}

void Node::announce(Joined joined) {
    joins_->add(std::move(joined));
    if (self() == root_id) joins_->flush();
}

void Node::tell_joins(const std::vector<Joined>& joins) {
    Frame frame;
    frame.type = FrameType::joined;
    frame.source = self();
    frame.destination = root_id;
    frame.body = encode(joins);
    send(std::move(frame));
}

void Node::detach_child(HostId child) {
    const auto place = children_.find(child);
    if (place == children_.end()) return;
    const NeighbourPtr neighbour = place->second;
    children_.erase(place);
    forget(router_.remove_child(child));
    neighbour->link->close();
}

void Node::attach(NeighbourPtr neighbour) {
    neighbour->heard = neighbour->spoke = clock_.now();
    auto receiving = [](std::shared_ptr<Node> node, NeighbourPtr from) -> Task<void> {
        co_await node->receive_from(std::move(from));
    };
    asio::co_spawn(executor_, receiving(shared_from_this(), std::move(neighbour)), asio::detached);
}

Task<void> Node::receive_from(NeighbourPtr neighbour) {
    while (user_) {
        Result<Frame> frame = co_await neighbour->link->receive();
        if (!user_) co_return;
        if (!frame) {
            lose(neighbour, frame.error());
            co_return;
        }
        heard_from(neighbour, *frame);
        if (!lawful(neighbour, *frame)) {
            lose(neighbour, {FailureKind::invalid, "", "", "sent a frame that is not its own"});
            co_return;
        }
        if (neighbour->parent || router_.originates_below(neighbour->id, frame->source))
            handle(neighbour, std::move(*frame));
    }
}

// A frame from above may name any source. One from below that did not originate there is dropped: it may be a
// late one, of a host that has another parent now. A host that joins is learnt; one that is below another
// child has moved only if the root says so.
bool Node::lawful(const NeighbourPtr& from, const Frame& frame) {
    if (from->parent) return true;
    if (frame.type == FrameType::joined) return learn(from->id, frame);
    const bool command = frame.type == FrameType::start || frame.type == FrameType::cancel ||
                         frame.type == FrameType::bye || frame.type == FrameType::welcome;
    return !command && !frame.multicast;
}

bool Node::learn(HostId child, const Frame& frame) {
    const auto joins = decode<std::vector<Joined>>(frame.body);
    if (!joins) return false;
    for (const Joined& joined : *joins) {
        const HostId host = joined.host.id;
        if (host == self() || host == root_id) return false;
        if (!router_.learn(child, host)) continue;
        router_.hang(host, joined.parent);
        for (const HostId below : joined.below)
            router_.learn(child, below);
    }
    return true;
}

void Node::tell_place(const Joined& place, HostId to) {
    move(place);
    if (to == self()) return;
    Frame frame;
    frame.type = FrameType::joined;
    frame.source = self();
    frame.destination = to;
    frame.body = encode(std::vector<Joined>{place});
    send(std::move(frame));
}

// Its former link here, if there is one, may not have ended yet.
void Node::move(const Joined& place) {
    const HostId moved = place.host.id;
    if (place.parent != self()) detach_child(moved);
    const auto child = place.parent == self() ? own_child(moved) : router_.child_towards(place.parent);
    if (!child) return;
    std::vector<HostId> hosts = place.below;
    hosts.push_back(moved);
    for (const HostId host : hosts)
        if (router_.move(*child, host)) ends_->remove(host);
    router_.hang(moved, place.parent);
}

std::optional<HostId> Node::own_child(HostId host) const {
    return children_.contains(host) ? std::optional(host) : std::nullopt;
}

void Node::heard_from(const NeighbourPtr& neighbour, const Frame& frame) {
    neighbour->heard = clock_.now();
    if (frame.type == FrameType::ping) {
        neighbour->deaf_since.reset();
        if (const auto silence = decode<Duration>(frame.body))
            neighbour->deaf_since =
                neighbour->heard - std::clamp(*silence, Duration::zero(), settings_.lease);
    }
    if (neighbour->deaf_since) return;
    if (std::exchange(neighbour->told, false)) ping(neighbour);
    if (!std::exchange(neighbour->suspect, false) || neighbour->parent) return;
    user_->child_news(FrameType::resumed, ChildNews{neighbour->id, {}, ""});
}

void Node::handle(const NeighbourPtr& from, Frame frame) {
    if (frame.type == FrameType::ping) return;
    if (frame.type == FrameType::ends && !from->parent) return ends_->add_merged(from->id, frame, router_);
    if (!from->parent && frame.type == FrameType::lost) forget_lost(from->id, frame);
    if (from->parent && frame.type == FrameType::joined) {
        const auto places = decode<std::vector<Joined>>(frame.body);
        if (!places) return;
        for (const Joined& place : *places)
            move(place);
    }
    if (frame.multicast) return relay_multicast(std::move(frame));
    const bool stray =
        from->parent && frame.destination != self() && !router_.child_towards(frame.destination);
    if (stray) return unreachable_->add(frame.destination);
    send(std::move(frame));
}

// The root knows where they are.
void Node::tell_unreachable(const std::vector<HostId>& hosts) {
    Frame frame;
    frame.type = FrameType::unreachable;
    frame.source = self();
    frame.destination = root_id;
    frame.body = encode(hosts);
    send(std::move(frame));
}

// Whoever went with a lost host has no way from here any more. Others that the news may name are struck out
// before it goes on upwards: the news may be late, and they hang elsewhere now.
void Node::forget_lost(HostId child, Frame& frame) {
    auto news = decode<ChildNews>(frame.body);
    if (!news) return frame.body.clear();
    news->below = router_.lose(child, frame.source, news->child, news->below);
    forget(news->below);
    frame.body = encode(*news);
}

// Hosts that are not below this node any more.
void Node::forget(const std::vector<HostId>& gone) {
    for (const HostId host : gone)
        ends_->remove(host);
}

Node::NeighbourPtr Node::towards(HostId host) const {
    if (const auto child = router_.child_towards(host)) {
        const auto place = children_.find(*child);
        return place == children_.end() ? nullptr : place->second;
    }
    return parent_;
}

void Node::send(Frame frame) {
    if (!user_) return;
    if (frame.type == FrameType::done && frame.destination == root_id) {
        ends_->add(frame);
    } else if (frame.destination == self()) {
        user_->deliver(std::move(frame));
    } else if (const NeighbourPtr neighbour = towards(frame.destination)) {
        post(neighbour, std::move(frame));
    } else if (self() == root_id) {
        unreachable_->add(frame.destination);
    }
}

void Node::pass_up(Frame frame) {
    if (!user_) return;
    if (self() == root_id) return user_->deliver(std::move(frame));
    if (const NeighbourPtr parent = parent_) post(parent, std::move(frame));
}

void Node::multicast(Frame frame, const HostSet& to) {
    frame.body = to.prefix_to(frame.body);
    frame.multicast = true;
    relay_multicast(std::move(frame));
}

// A multicast only travels downwards: what is not below this node has no way from here.
void Node::relay_multicast(Frame frame) {
    const auto parts = HostSet::read_prefix(frame.body);
    if (!parts) return;
    const auto& [set, payload] = *parts;
    const Router::Split split = router_.split(set);
    if (frame.type == FrameType::start && frame.stream == 0) ends_->begin(frame.operation, split, true);
    for (const auto& [child, hosts] : split.children) {
        const NeighbourPtr neighbour = towards(child);
        if (!neighbour) continue;
        Frame copy = frame;
        copy.body = HostSet(hosts).prefix_to(payload);
        post(neighbour, std::move(copy));
    }
    for (const HostId host : split.elsewhere)
        unreachable_->add(host);
    if (!split.self || !user_) return;
    frame.body = std::string(payload);
    frame.multicast = false;
    frame.destination = self();
    user_->deliver(std::move(frame));
}

void Node::post(const NeighbourPtr& to, Frame frame) {
    if (to->parent) joins_->flush();  // nothing overtakes them that may come from these hosts
    to->spoke = clock_.now();
    to->link->send(std::move(frame));
}

Task<void> Node::drained_towards(HostId host) {
    const NeighbourPtr neighbour = towards(host);
    if (neighbour) co_await neighbour->link->drained();
}

Task<void> Node::keep_heartbeats() {
    while (user_) {
        const TimePoint before = clock_.now();
        co_await clock_.sleep(settings_.heartbeat);
        if (!user_) co_return;
        const Duration overslept = clock_.now() - before - settings_.heartbeat;
        if (overslept > settings_.heartbeat) forgive(overslept);
        const auto children = children_;  // beat() may lose a child
        for (const auto& [id, child] : children) {
            if (user_) beat(child);
        }
        if (user_ && parent_) beat(parent_);
    }
}

// This process itself stood still (stopped, suspended): what the others said meanwhile may not be read yet.
void Node::forgive(Duration own_silence) {
    const TimePoint now = clock_.now();
    for (const auto& [id, child] : children_) {
        child->heard = std::min(now, child->heard + own_silence);
        if (child->deaf_since) child->deaf_since = std::min(now, *child->deaf_since + own_silence);
    }
    if (parent_) parent_->heard = std::min(now, parent_->heard + own_silence);
}

// A child that hears nothing leaves when its lease ends, so its link is as good as silent, if that lasts.
void Node::beat(const NeighbourPtr& neighbour) {
    const TimePoint now = clock_.now();
    const Duration silence = now - neighbour->heard;
    const bool deaf = now - neighbour->deaf_since.value_or(now) > settings_.suspect_after;
    if ((deaf || silence > settings_.suspect_after) && !std::exchange(neighbour->suspect, true) &&
        !neighbour->parent) {
        const std::string cause = deaf ? "it does not hear its parent" : "silent";
        user_->child_news(FrameType::suspect, ChildNews{neighbour->id, {}, cause});
    }
    neighbour->told = neighbour->parent && silence > settings_.suspect_after / 2;
    if (neighbour->told || now - neighbour->spoke >= settings_.heartbeat / 2) ping(neighbour);
    if (silence > settings_.lease)
        lose(neighbour, {FailureKind::timed_out, "", "", "silent for longer than its lease"});
}

// To a parent that is not heard: for how long.
void Node::ping(const NeighbourPtr& to) {
    Frame ping;
    ping.type = FrameType::ping;
    ping.source = self();
    ping.destination = to->id;
    if (to->told) ping.body = encode(clock_.now() - to->heard);
    post(to, std::move(ping));
}

void Node::lose(const NeighbourPtr& neighbour, const Failure& failure) {
    if (neighbour->parent) {
        if (parent_ != neighbour) return;
        parent_ = nullptr;
        user_->parent_lost(failure);
        return;
    }
    const auto place = children_.find(neighbour->id);
    if (place == children_.end() || place->second != neighbour) return;
    children_.erase(place);
    const bool dismissed = failure.kind != FailureKind::lost;
    if (dismissed) dismiss(neighbour);
    neighbour->link->close();
    ChildNews news{neighbour->id, router_.remove_child(neighbour->id), failure.cause, dismissed};
    forget(news.below);
    user_->child_news(FrameType::lost, std::move(news));
}

// It need not wait for another parent.
void Node::dismiss(const NeighbourPtr& child) {
    Frame bye;
    bye.type = FrameType::bye;
    bye.source = root_id;
    bye.destination = child->id;
    post(child, std::move(bye));
}

}  // namespace trellis
