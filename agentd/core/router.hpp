// Router: which neighbour leads to which host. Pure bookkeeping of one node of the control tree; owned by the
// Node. It enforces that a frame from below originates in that subtree.
#pragma once

#include "trellis/frame.hpp"

#include "agentd/core/host_set.hpp"

#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

namespace trellis {

// A neighbour is named by its host id; the parent by whatever the node calls it (for agents: the id is not
// needed).
class Router {
  public:
    explicit Router(HostId self) : self_(self) {}

    // A child directly below this node.
    void add_child(HostId child);
    // `host` joined somewhere below `child`. False if it is already below another child, or is this node.
    bool learn(HostId child, HostId host);
    // `host` is below `child` now, wherever it was. False if it was there already, or is this node.
    bool move(HostId child, HostId host);
    // Forgets a child or a single host; returns all hosts that are no longer reachable, sorted.
    std::vector<HostId> remove_child(HostId child);
    void forget(HostId host);

    // True if a frame that names `source` may come from `child`.
    [[nodiscard]] bool originates_below(HostId child, HostId source) const;
    // The child that leads to `host`; nullopt: upwards (or nowhere, at the root).
    [[nodiscard]] std::optional<HostId> child_towards(HostId host) const;

    // All hosts that are reached through children, sorted.
    [[nodiscard]] std::vector<HostId> below() const;

    struct Split {
        bool self = false;                               // the set has this node
        std::map<HostId, std::vector<HostId>> children;  // part of the set below each child
        std::vector<HostId> elsewhere;                   // neither
    };
    [[nodiscard]] Split split(const HostSet& set) const;
    [[nodiscard]] HostId self() const { return self_; }

  private:
    HostId self_;
    std::unordered_map<HostId, HostId> child_of_;  // host -> child that leads to it
};

}  // namespace trellis
