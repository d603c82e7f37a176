// Root: the control tree as the shell sees it: the hosts that have joined, the operations that run on them,
// and `explore`, which adds hosts. Owned by the shell's main.cpp (or by a simulated session).
#pragma once

#include "agentd/core/explorer.hpp"
#include "agentd/core/membership.hpp"
#include "agentd/core/node.hpp"
#include "agentd/core/root_operations.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace trellis {

class Root final : public NodeUser {
  public:
    Root(World world, TreeSettings settings, LoginAuthority& authority, SettingsSource ssh_settings);
    ~Root() override;

    // Logs in to the hosts and starts agents there. One outcome a host, in the order of the request.
    Task<std::vector<ExploreOutcome>> explore(ExploreRequest request);
    // Says bye to all agents and waits, at most `patience`, until their links have closed.
    Task<void> leave(Duration patience);

    [[nodiscard]] Operations& operations() { return *operations_; }
    [[nodiscard]] const Membership& membership() const { return membership_; }
    // Called after a host has become suspect, has resumed or is lost.
    void on_change(std::function<void(const Member&)> listener) { listener_ = std::move(listener); }
    // Called with a line that an agent has for the user.
    void on_note(std::function<void(const std::string& host, const std::string& text)> listener) {
        note_listener_ = std::move(listener);
    }

    // NodeUser
    void deliver(Frame frame) override;
    void child_news(FrameType type, ChildNews news) override;
    void parent_lost(const Failure&) override {}

  private:
    // The search for the agent of a host that is silent or whose link has ended.
    struct Healing {
        std::uint64_t number = 0;  // a later one replaces one that only waits
        bool begun = false;
        bool link_ended = false;
        bool nobody_there = false;
        std::shared_ptr<Explorer> explorer;
    };
    [[nodiscard]] std::shared_ptr<Explorer> make_explorer(ExploreRequest request);
    void tell_place(const Joined& news, HostId to);
    void welcome_back(HostId host, std::set<HostId> there);
    void send_progress(HostId host);
    void lose_link(HostId host, const std::string& cause);
    void start_healing(HostId host, const std::string& cause, Duration delay);
    static Task<void> heal_later(std::weak_ptr<Root*> root, HostId host, std::uint64_t number,
                                 std::string cause, Duration delay);
    static Task<void> heal(std::weak_ptr<Root*> root, HostId host);
    void end_healing(HostId host, const std::string& cause);
    void stop_healing();
    [[nodiscard]] bool suspect(HostId host) const;
    void lose(HostId host, const std::string& cause);
    void tell(HostId host, const std::string& cause);
    void joined(const Joined& joined);
    void news_from(const Frame& frame);
    void lead_again(HostId from, HostId host);
    [[nodiscard]] bool looked_for(HostId host) const;
    void change(HostId host, MemberState state, const std::string& cause);
    std::string rejection(HostId host) const;
    void send_bye(HostId host);

    World world_;
    LoginAuthority& authority_;
    SettingsSource ssh_settings_;
    Membership membership_;
    std::shared_ptr<Node> node_;
    std::unique_ptr<RootOperations> operations_;
    std::map<HostId, std::string> rejected_;
    std::function<void(const Member&)> listener_;
    std::function<void(const std::string&, const std::string&)> note_listener_;
    Signal changed_;
    ExploreRequest last_explore_;  // without its hosts: how lost links are replaced
    std::map<HostId, Healing> healing_;
    std::uint64_t healings_ = 0;
    std::shared_ptr<Root*> alive_ = std::make_shared<Root*>(this);
    bool leaving_ = false;
};

}  // namespace trellis
