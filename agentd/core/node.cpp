#include "agentd/core/node.hpp"

#include <algorithm>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

namespace trellis {

Node::Node(Executor executor, Clock& clock, TreeSettings settings, HostId self, NodeUser& user)
    : executor_(std::move(executor)), clock_(clock), settings_(settings), router_(self), user_(&user) {}

void Node::start() {
    auto beating = [](std::shared_ptr<Node> node) -> Task<void> { co_await node->keep_heartbeats(); };
    asio::co_spawn(executor_, beating(shared_from_this()), asio::detached);
}

void Node::shutdown() {
    user_ = nullptr;
    for (auto& [id, child] : children_)
        child->link->close();
    children_.clear();
    if (parent_) parent_->link->close();
    parent_ = nullptr;
}

void Node::attach_parent(std::unique_ptr<Link> link) {
    parent_ = std::make_shared<Neighbour>();
    parent_->parent = true;
    parent_->link = std::move(link);
    attach(parent_);
}

void Node::attach_child(HostId child, std::unique_ptr<Link> link) {
    auto neighbour = std::make_shared<Neighbour>();
    neighbour->id = child;
    neighbour->link = std::move(link);
    children_[child] = neighbour;
    router_.add_child(child);
    attach(neighbour);
}

void Node::detach_child(HostId child) {
    const auto place = children_.find(child);
    if (place == children_.end()) return;
    const NeighbourPtr neighbour = place->second;
    children_.erase(place);
    router_.remove_child(child);
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
        heard_from(neighbour);
        if (!admit(neighbour, *frame)) {
            const Failure failure{FailureKind::lost, "", "", "sent a frame that is not its own"};
            neighbour->link->close();
            lose(neighbour, failure);
            co_return;
        }
        handle(neighbour, std::move(*frame));
    }
}

// A frame from above may name any source; one from below must originate there. A host that joins is learnt.
bool Node::admit(const NeighbourPtr& from, const Frame& frame) {
    if (from->parent) return true;
    if (frame.type == FrameType::joined) return router_.learn(from->id, frame.source);
    const bool command = frame.type == FrameType::start || frame.type == FrameType::cancel ||
                         frame.type == FrameType::bye || frame.type == FrameType::welcome;
    return !command && !frame.multicast && router_.originates_below(from->id, frame.source);
}

void Node::heard_from(const NeighbourPtr& neighbour) {
    neighbour->heard = clock_.now();
    if (!std::exchange(neighbour->suspect, false) || neighbour->parent) return;
    user_->child_news(FrameType::resumed, ChildNews{neighbour->id, {}, ""});
}

void Node::handle(const NeighbourPtr& from, Frame frame) {
    if (frame.type == FrameType::ping) return;
    if (!from->parent) note_passing_news(from, frame);
    if (frame.multicast) {
        relay_multicast(std::move(frame));
    } else {
        send(std::move(frame));
    }
}

void Node::note_passing_news(const NeighbourPtr& from, const Frame& frame) {
    if (frame.type != FrameType::lost) return;
    const auto news = decode<ChildNews>(frame.body);
    if (!news) return;
    for (const HostId host : news->below) {
        if (router_.originates_below(from->id, host) && host != from->id) router_.forget(host);
    }
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
    if (frame.destination == self()) {
        user_->deliver(std::move(frame));
    } else if (const NeighbourPtr neighbour = towards(frame.destination)) {
        post(neighbour, std::move(frame));
    }
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
    for (const auto& [child, hosts] : split.children) {
        const NeighbourPtr neighbour = towards(child);
        if (!neighbour) continue;
        Frame copy = frame;
        copy.body = HostSet(hosts).prefix_to(payload);
        post(neighbour, std::move(copy));
    }
    if (!split.self || !user_) return;
    frame.body = std::string(payload);
    frame.multicast = false;
    frame.destination = self();
    user_->deliver(std::move(frame));
}

void Node::post(const NeighbourPtr& to, Frame frame) {
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

// This process itself stood still (stopped, suspended): what the others said meanwhile is not read yet.
void Node::forgive(Duration own_silence) {
    for (const auto& [id, child] : children_)
        child->heard += own_silence;
    if (parent_) parent_->heard += own_silence;
}

void Node::beat(const NeighbourPtr& neighbour) {
    const TimePoint now = clock_.now();
    if (now - neighbour->spoke >= settings_.heartbeat / 2) {
        Frame ping;
        ping.type = FrameType::ping;
        ping.source = self();
        ping.destination = neighbour->id;
        post(neighbour, std::move(ping));
    }
    const Duration silence = now - neighbour->heard;
    if (silence > settings_.lease) {
        lose(neighbour, {FailureKind::lost, "", "", "silent for longer than its lease"});
    } else if (silence > settings_.suspect_after && !neighbour->suspect) {
        neighbour->suspect = true;
        if (!neighbour->parent) user_->child_news(FrameType::suspect, ChildNews{neighbour->id, {}, "silent"});
    }
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
    neighbour->link->close();
    ChildNews news{neighbour->id, router_.remove_child(neighbour->id), failure.cause};
    user_->child_news(FrameType::lost, std::move(news));
}

}  // namespace trellis
