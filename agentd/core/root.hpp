// Root: the control tree as the shell sees it: the hosts that have joined, the operations that run on them,
// and `explore`, which adds hosts. Owned by the shell's main.cpp (or by a simulated session).
#pragma once

#include "agentd/core/explorer.hpp"
#include "agentd/core/membership.hpp"
#include "agentd/core/node.hpp"
#include "agentd/core/root_operations.hpp"

#include <functional>
#include <map>
#include <memory>
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
    void joined(const Frame& frame);
    void news_from(const Frame& frame);
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
    bool leaving_ = false;
};

}  // namespace trellis
