// Membership: the root's table of hosts. Only the root numbers views; each change of who is there makes a new
// one. Pure; owned by the Root.
#pragma once

#include "trellis/host.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace trellis {

enum class MemberState : std::uint8_t { alive, suspect, lost };

struct Member {
    Host host;
    HostId parent{};
    MemberState state = MemberState::alive;
    std::string cause;    // of suspicion or loss
    bool silent = false;  // its parent hears nothing of it; whoever is below a silent host is suspect too
};

class Membership {
  public:
    // A new id; ids are never reused.
    HostId reserve() { return static_cast<HostId>(++last_id_); }
    // A login is under way by which this id may join below that parent; withdraw() when all have ended.
    void expect(HostId id, HostId parent) { expected_[id].insert(parent); }
    void withdraw(HostId id) { expected_.erase(id); }
    // False, and nothing is changed, if no such host is expected there. An orphan that has found another
    // parent joins again and is alive.
    bool join(Host host, HostId parent);
    // The host alone, not what is below it.
    bool lose(HostId host, const std::string& cause);
    // The hosts directly below it that are not lost, sorted.
    [[nodiscard]] std::vector<HostId> children(HostId host) const;
    // The host itself and everything below it in the tree; only those whose state changes are returned,
    // sorted.
    std::vector<HostId> change(HostId host, MemberState state, const std::string& cause);

    // For a copy of another table: a member as it stands there, and the number of the view there.
    void copy(Member member, std::uint64_t view);

    [[nodiscard]] std::uint64_t view() const { return view_; }
    [[nodiscard]] const std::map<HostId, Member>& members() const { return members_; }
    [[nodiscard]] const Member* find(HostId id) const;
    // The member of that name that is not lost.
    [[nodiscard]] const Member* find(std::string_view name) const;
    // The living member on the same machine under another name, if there is one.
    [[nodiscard]] const Member* same_machine(const Host& host) const;
    [[nodiscard]] bool alive(HostId id) const;                     // there, if only suspect
    [[nodiscard]] bool below(HostId host, HostId ancestor) const;  // or the same

  private:
    [[nodiscard]] bool hears_of(HostId host) const;
    [[nodiscard]] std::vector<HostId> with_all_below(HostId host) const;
    void put(Member member);

    std::map<HostId, Member> members_;
    std::map<HostId, std::set<HostId>> children_;  // the lost ones too
    std::map<HostId, std::set<HostId>> expected_;  // and below whom
    std::unordered_map<std::string, std::vector<HostId>> by_machine_;
    std::uint32_t last_id_ = 0;
    std::uint64_t view_ = 0;
};

}  // namespace trellis
