// Login rules, in GXP's way: from which hosts which others are reached, and by which way. Owned by the
// session; pure: it logs in nowhere.
#pragma once

#include "trellis/result.hpp"

#include "agentd/core/spawn_planner.hpp"
#include "shell/hosts/host_pattern.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trellis {

// The name, in a rule, of the machine where the user sits.
inline constexpr std::string_view here = "here";

struct UseRule {
    SpawnWay way = SpawnWay::libssh;
    HostPattern from;
    HostPattern to;
    bool end_to_end = false;
    bool forward_agent = false;
    // As the command that makes this rule: "use ssh --end-to-end here gw".
    [[nodiscard]] std::string text() const;
};

// "ssh", "ssh-program" or "local".
[[nodiscard]] std::string_view way_name(SpawnWay way);
[[nodiscard]] Result<SpawnWay> parse_way(std::string_view name);

// WAY [FROM] TO with the options --end-to-end and --forward-agent anywhere; without FROM: from here.
[[nodiscard]] Result<UseRule> parse_use_rule(const std::vector<std::string>& words);

class UseRules {
  public:
    void add(UseRule rule) { rules_.push_back(std::move(rule)); }
    void clear() { rules_.clear(); }
    // Applies to every ssh login without a rule that says otherwise.
    void forward_agent_everywhere(bool forward) { forward_agent_ = forward; }
    [[nodiscard]] const std::vector<UseRule>& rules() const { return rules_; }
    struct Decision {
        const UseRule* rule = nullptr;  // the one for `from` and `to`, if there is one
        bool ruled = false;             // some rule says from where `to` is reached
    };
    [[nodiscard]] Decision decide(const std::string& from, const std::string& to) const;
    // How `to` is reached from `from` (the name of a host, or "root" for this machine); nothing if it must
    // not be. The first rule that matches both decides. For a name without a rule: local0, local1, ... are
    // processes on this machine, everything else is reached by ssh from here and from any host.
    [[nodiscard]] std::optional<Route> route(const std::string& from, const std::string& to) const;

  private:
    std::vector<UseRule> rules_;
    bool forward_agent_ = false;
};

}  // namespace trellis
