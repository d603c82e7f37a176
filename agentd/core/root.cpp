#include "agentd/core/root.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <openssl/rand.h>

namespace trellis {
namespace {

// A session's name is its own, so that nobody else's agents answer to it.
TreeSettings with_name(TreeSettings settings) {
    std::array<unsigned char, 12> random{};
    RAND_bytes(random.data(), static_cast<int>(random.size()));
    for (const unsigned char byte : random)
        settings.session += static_cast<char>('a' + byte % 26);
    return settings;
}

}  // namespace

Root::Root(World world, TreeSettings settings, LoginAuthority& authority, SettingsSource ssh_settings)
    : world_(world),
      authority_(authority),
      ssh_settings_(std::move(ssh_settings)),
      node_(std::make_shared<Node>(world.executor, world.clock, with_name(std::move(settings)), root_id,
                                   *this)),
      operations_(std::make_unique<RootOperations>(world.executor, world.network, node_, membership_)),
      changed_(world.executor) {
    node_->start();
}

Root::~Root() {
    stop_healing();
    node_->shutdown();
}

std::shared_ptr<Explorer> Root::make_explorer(ExploreRequest request) {
    Explorer::Surroundings around{
        world_, node_, membership_, *operations_, authority_, ssh_settings_, [this](HostId host) {
            return rejection(host);
        }};
    return std::make_shared<Explorer>(std::move(around), std::move(request));
}

Task<std::vector<ExploreOutcome>> Root::explore(ExploreRequest request) {
    last_explore_ = request;
    last_explore_.hosts.clear();
    last_explore_.progress = {};
    last_explore_.suspicion = {};
    last_explore_.attempt = {};
    const auto explorer = make_explorer(std::move(request));
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
            if (const auto joins = decode<std::vector<Joined>>(frame.body)) {
                for (const Joined& each : *joins)
                    if (each.parent == frame.source) joined(each);
            }
            return;
        case FrameType::suspect:
        case FrameType::resumed:
        case FrameType::lost:
            return news_from(frame);
        case FrameType::unreachable:
            if (const auto hosts = decode<std::vector<HostId>>(frame.body)) {
                for (const HostId host : *hosts)
                    lead_again(frame.source, host);
            }
            return;
        case FrameType::resume:
            if (const auto at_host = decode<Resume>(frame.body))
                operations_->send_again(frame.source, *at_host);
            return;
        case FrameType::note:
            if (const Member* member = membership_.find(frame.source); member && note_listener_) {
                note_listener_(member->host.name, frame.body);
            }
            return;
        default:
            return operations_->deliver(std::move(frame));
    }
}

void Root::joined(const Joined& joined) {
    const HostId id = joined.host.id;
    if (const Member* twin = membership_.same_machine(joined.host)) {
        rejected_[id] = "it is the same machine as " + twin->host.name;
        return send_bye(id);
    }
    const bool back = membership_.alive(id);
    if (!membership_.join(joined.host, joined.parent)) {
        if (!back) return send_bye(id);
        // It was found elsewhere meanwhile.
        return tell_place(joined, joined.parent);
    }
    if (back) tell_place(joined, joined.parent);
    change(id, MemberState::alive, "");
    if (back) welcome_back(id, {joined.below.begin(), joined.below.end()});
}

void Root::tell_place(const Joined& news, HostId to) {
    const HostId host = news.host.id;
    Joined place{news.host, membership_.find(host)->parent, news.below};
    std::erase_if(place.below, [&](HostId each) { return !membership_.below(each, host); });
    node_->tell_place(place, to);
}

// What the broken link has swallowed is found out with each host below it; hosts that were lost or joined
// there meanwhile are not what the root believes.
void Root::welcome_back(HostId host, std::set<HostId> there) {
    there.insert(host);
    std::vector<HostId> gone;
    for (const auto& [id, member] : membership_.members())
        if (there.contains(member.parent) && !there.contains(id)) gone.push_back(id);
    for (const HostId id : gone)
        lose_link(id, "its link broke while its parent had none");
    for (const HostId id : there) {
        if (!membership_.alive(id)) send_bye(id);
        if (!membership_.alive(id) || !membership_.below(id, host)) continue;
        if (membership_.find(id)->silent) change(id, MemberState::alive, "");
        send_progress(id);
    }
}

void Root::send_progress(HostId host) {
    Frame resume;
    resume.type = FrameType::resume;
    resume.source = root_id;
    resume.destination = host;
    resume.body = encode(operations_->progress(host));
    node_->send(std::move(resume));
}

// A host may only tell of its own children.
void Root::news_from(const Frame& frame) {
    auto news = decode<ChildNews>(frame.body);
    const Member* child = news ? membership_.find(news->child) : nullptr;
    if (child && child->parent == frame.source) child_news(frame.type, std::move(*news));
}

// A frame found no way from `from` to a host that should be below it. If its parent has no link to it, that
// has ended; else those in between are told where it is, and what was lost on the way is made up for.
void Root::lead_again(HostId from, HostId host) {
    const bool below = host != from && membership_.alive(host) && membership_.below(host, from);
    if (!below || leaving_ || looked_for(host)) return;
    std::vector<const Member*> way;
    for (HostId next = host; next != from; next = way.back()->parent)
        way.push_back(membership_.find(next));
    if (way.size() == 1) return lose_link(host, "its parent has no link to it");
    for (auto member = way.rbegin(); member != way.rend(); ++member)
        node_->tell_place({(*member)->host, (*member)->parent, {}}, (*member)->parent);
    send_progress(host);
}

// Its link has ended, or that of a host above it.
bool Root::looked_for(HostId host) const {
    for (const Member* member = nullptr; (member = membership_.find(host)); host = member->parent) {
        const auto place = healing_.find(host);
        if (place != healing_.end() && place->second.link_ended) return true;
    }
    return false;
}

void Root::send_bye(HostId host) {
    Frame bye;
    bye.type = FrameType::bye;
    bye.source = root_id;
    bye.destination = host;
    node_->send(std::move(bye));
}

void Root::child_news(FrameType type, ChildNews news) {
    if (type == FrameType::lost && news.final) return change(news.child, MemberState::lost, news.cause);
    if (type == FrameType::lost) return lose_link(news.child, news.cause);
    const bool silent = type == FrameType::suspect;
    change(news.child, silent ? MemberState::suspect : MemberState::alive, news.cause);
    const TreeSettings& settings = node_->settings();
    if (silent) start_healing(news.child, news.cause, settings.lease / 2 - settings.suspect_after);
}

// The host may live without this link.
void Root::lose_link(HostId host, const std::string& cause) {
    if (!membership_.alive(host)) return;
    if (leaving_ || node_->settings().orphan_grace <= Duration::zero()) return lose(host, cause);
    change(host, MemberState::suspect, cause);
    healing_[host].link_ended = true;
    start_healing(host, cause, Duration::zero());
}

void Root::start_healing(HostId host, const std::string& cause, Duration delay) {
    const auto place = healing_.find(host);
    if (leaving_ || (place != healing_.end() && place->second.begun)) return;
    const std::uint64_t number = ++healings_;
    healing_[host].number = number;
    asio::co_spawn(world_.executor, heal_later(alive_, host, number, cause, delay), asio::detached);
}

Task<void> Root::heal_later(std::weak_ptr<Root*> root, HostId host, std::uint64_t number, std::string cause,
                            Duration delay) {
    Root* self = *root.lock();
    if (delay > Duration::zero()) co_await self->world_.clock.sleep(delay);
    if (root.expired()) co_return;
    const auto place = self->healing_.find(host);
    if (place == self->healing_.end() || place->second.number != number) co_return;
    if (self->suspect(host)) co_await heal(root, host);
    if (!root.expired()) self->end_healing(host, cause);
}

// Looks for the agent for as long as that waits. If it is not found at once, its children are led round it.
Task<void> Root::heal(std::weak_ptr<Root*> root, HostId host) {
    Root* self = *root.lock();
    Healing& healing = self->healing_.at(host);
    const Duration grace = self->node_->settings().orphan_grace;
    const TimePoint until = self->world_.clock.now() + (healing.link_ended ? grace : grace / 2);
    ExploreRequest request = self->last_explore_;
    request.orphans = {host};
    request.login_timeout = std::min(request.login_timeout, grace / 3);
    for (healing.begun = true;;) {
        healing.explorer = self->make_explorer(request);
        const auto outcomes = co_await healing.explorer->run();
        if (root.expired()) co_return;
        healing.nobody_there = outcomes.front().outcome.kind == FailureKind::cannot_start;
        const bool in_vain = healing.nobody_there || self->leaving_ || self->world_.clock.now() >= until;
        if (in_vain || !self->suspect(host)) co_return;
        for (const HostId child : self->membership_.children(host))
            self->start_healing(child, "its parent is silent", Duration::zero());
        co_await self->world_.clock.sleep(std::chrono::seconds(1));
        if (root.expired()) co_return;
    }
}

void Root::end_healing(HostId host, const std::string& cause) {
    const Healing healing = healing_.extract(host).mapped();
    const bool gone = healing.link_ended || healing.nobody_there;
    if (suspect(host) && gone) lose(host, cause);
}

void Root::stop_healing() {
    for (const auto& [host, healing] : healing_)
        if (healing.explorer) healing.explorer->stop();
}

bool Root::suspect(HostId host) const {
    return membership_.find(host)->state == MemberState::suspect;
}

void Root::lose(HostId host, const std::string& cause) {
    if (!membership_.lose(host, cause)) return;
    send_bye(host);  // if it can still hear
    tell(host, cause);
    for (const HostId child : membership_.children(host))
        lose_link(child, cause);
    changed_.notify();
}

void Root::change(HostId host, MemberState state, const std::string& cause) {
    for (const HostId changed : membership_.change(host, state, cause))
        tell(changed, cause);
    changed_.notify();
}

void Root::tell(HostId host, const std::string& cause) {
    const Member* member = membership_.find(host);
    operations_->host_changed(host, member->state, cause);
    if (listener_ && !leaving_) listener_(*member);
}

Task<void> Root::leave(Duration patience) {
    leaving_ = true;
    stop_healing();
    std::vector<HostId> there;
    for (const auto& [id, member] : membership_.members())
        if (member.state != MemberState::lost) there.push_back(id);
    Frame bye;
    bye.type = FrameType::bye;
    bye.source = root_id;
    node_->multicast(std::move(bye), HostSet(std::move(there)));  // relays pass it on before they heed it
    co_await node_->dismiss_children(patience);
    node_->shutdown();
}

}  // namespace trellis
