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
    // `host`, if it is known, hangs on `parent` now: what any other host says of it is out of date.
    void hang(HostId host, HostId parent);
    // Forgets a child with all that is below it; returns the hosts that are no longer reachable, sorted.
    std::vector<HostId> remove_child(HostId child);
    // `parent`, below `child`, has lost the link to `lost`; `named` went with it. Forgets those of them that
    // do not hang elsewhere meanwhile, and returns them.
    std::vector<HostId> lose(HostId child, HostId parent, HostId lost, const std::vector<HostId>& named);

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
    struct Place {
        HostId child{};                // that leads to it
        std::optional<HostId> parent;  // if it is known
    };
    [[nodiscard]] bool went_with(HostId host, HostId parent, HostId lost) const;

    HostId self_;
    std::unordered_map<HostId, Place> places_;
};

}  // namespace trellis
