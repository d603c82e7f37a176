// Membership: the root's table of hosts. Only the root numbers views; each change of who is there makes a new
// one. Pure; owned by the Root.
#pragma once

#include "trellis/host.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trellis {

enum class MemberState : std::uint8_t { alive, suspect, lost };

struct Member {
    Host host;
    HostId parent{};
    MemberState state = MemberState::alive;
    std::string cause;  // of suspicion or loss
};

class Membership {
  public:
    // A new id; ids are never reused.
    HostId reserve() { return static_cast<HostId>(++last_id_); }
    void join(Host host, HostId parent);
    // The host itself and everything below it in the tree; only those whose state changes are returned,
    // sorted.
    std::vector<HostId> change(HostId host, MemberState state, const std::string& cause);

    [[nodiscard]] std::uint64_t view() const { return view_; }
    [[nodiscard]] const std::map<HostId, Member>& members() const { return members_; }
    [[nodiscard]] const Member* find(HostId id) const;
    // The member of that name that is not lost.
    [[nodiscard]] const Member* find(std::string_view name) const;
    // The living member on the same machine under another name, if there is one.
    [[nodiscard]] const Member* same_machine(const Host& host) const;
    [[nodiscard]] bool alive(HostId id) const;  // there, if only suspect

  private:
    [[nodiscard]] bool below(HostId host, HostId ancestor) const;

    std::map<HostId, Member> members_;
    std::uint32_t last_id_ = 0;
    std::uint64_t view_ = 0;
};

}  // namespace trellis
