#include "agentd/core/root.hpp"

#include <algorithm>
#include <utility>

namespace trellis {

Root::Root(World world, TreeSettings settings, LoginAuthority& authority, SettingsSource ssh_settings)
    : world_(world),
      authority_(authority),
      ssh_settings_(std::move(ssh_settings)),
      node_(std::make_shared<Node>(world.executor, world.clock, settings, root_id, *this)),
      operations_(std::make_unique<RootOperations>(world.executor, node_, membership_)),
      changed_(world.executor) {
    node_->start();
}

Root::~Root() {
    node_->shutdown();
}

Task<std::vector<ExploreOutcome>> Root::explore(ExploreRequest request) {
    Explorer::Surroundings around{
        world_, node_, membership_, *operations_, authority_, ssh_settings_, [this](HostId host) {
            return rejection(host);
        }};
    const auto explorer = std::make_shared<Explorer>(std::move(around), std::move(request));
    struct Stop {
        Explorer& explorer;
        ~Stop() { explorer.stop(); }  // also when the user has interrupted
    };
    const Stop stop{*explorer};
    co_return co_await explorer->run();
}

std::string Root::rejection(HostId host) const {
    const auto place = rejected_.find(host);
    return place == rejected_.end() ? "" : place->second;
}

void Root::deliver(Frame frame) {
    switch (frame.type) {
        case FrameType::joined:
            return joined(frame);
        case FrameType::suspect:
        case FrameType::resumed:
        case FrameType::lost:
            return news_from(frame);
        case FrameType::note:
            if (const Member* member = membership_.find(frame.source); member && note_listener_) {
                note_listener_(member->host.name, frame.body);
            }
            return;
        default:
            return operations_->deliver(std::move(frame));
    }
}

void Root::joined(const Frame& frame) {
    auto joined = decode<Joined>(frame.body);
    if (!joined || joined->host.id != frame.source) return;
    if (const Member* twin = membership_.same_machine(joined->host)) {
        rejected_[frame.source] = "it is the same machine as " + twin->host.name;
        return send_bye(frame.source);
    }
    if (!membership_.join(std::move(joined->host), joined->parent)) return send_bye(frame.source);
    changed_.notify();
}

// A host may only tell of its own children.
void Root::news_from(const Frame& frame) {
    auto news = decode<ChildNews>(frame.body);
    const Member* child = news ? membership_.find(news->child) : nullptr;
    if (child && child->parent == frame.source) child_news(frame.type, std::move(*news));
}

void Root::send_bye(HostId host) {
    Frame bye;
    bye.type = FrameType::bye;
    bye.source = root_id;
    bye.destination = host;
    node_->send(std::move(bye));
}

void Root::child_news(FrameType type, ChildNews news) {
    const MemberState state = type == FrameType::lost      ? MemberState::lost
                              : type == FrameType::suspect ? MemberState::suspect
                                                           : MemberState::alive;
    change(news.child, state, news.cause);
}

void Root::change(HostId host, MemberState state, const std::string& cause) {
    for (const HostId changed : membership_.change(host, state, cause)) {
        operations_->host_changed(changed, state, cause);
        const Member* member = membership_.find(changed);
        if (listener_ && member && !leaving_) listener_(*member);
    }
    changed_.notify();
}

Task<void> Root::leave(Duration patience) {
    leaving_ = true;
    for (const auto& [id, member] : membership_.members()) {
        if (member.state != MemberState::lost) send_bye(id);
    }
    const auto anyone_left = [this] {
        return std::any_of(membership_.members().begin(), membership_.members().end(), [](const auto& entry) {
            return entry.second.parent == root_id && entry.second.state == MemberState::alive;
        });
    };
    const TimePoint until = world_.clock.now() + patience;
    while (anyone_left() && world_.clock.now() < until) {
        co_await world_.clock.sleep(std::chrono::milliseconds(5));
    }
    node_->shutdown();
}

}  // namespace trellis
