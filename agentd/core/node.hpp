// Node: one vertex of the control tree, the root's or an agent's. It owns the links to its neighbours, relays
// frames, keeps heartbeats and notices silence. It knows nothing of operations: frames for this host go to
// its NodeUser.
#pragma once

#include "trellis/clock.hpp"
#include "trellis/link.hpp"

#include "agentd/core/end_collector.hpp"
#include "agentd/core/gathered.hpp"
#include "agentd/core/router.hpp"
#include "agentd/core/tree_messages.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace trellis {

// Whom a Node tells. Outlives the Node's use: the Node calls nobody after shutdown().
class NodeUser {
  public:
    virtual ~NodeUser() = default;
    virtual void deliver(Frame frame) = 0;
    // News of the tree below: type is suspect, resumed or lost. At an agent they go to the root as frames.
    virtual void child_news(FrameType type, ChildNews news) = 0;
    virtual void parent_lost(const Failure& failure) = 0;
};

class Node : public std::enable_shared_from_this<Node> {
  public:
    Node(Executor executor, Clock& clock, TreeSettings settings, HostId self, NodeUser& user);
    void start();  // begins to keep heartbeats
    // Tells all children to leave and waits until they have, but not for silent ones nor longer than
    // `patience`: a link that is closed early may lose the word.
    Task<void> dismiss_children(Duration patience);
    void shutdown();  // closes all links; afterwards the user hears nothing

    // In place of the one before, if there was one.
    void attach_parent(std::unique_ptr<Link> link);
    // `below`: hosts that come with it.
    void attach_child(HostId child, std::unique_ptr<Link> link, const std::vector<HostId>& below = {});
    // Tells the root that a child has joined here; of several at about the same time together.
    void announce(Joined joined);
    // At the root: tells the nodes on the way to `to`, and that one, where a host is now, with what is below
    // it.
    void tell_place(const Joined& place, HostId to);
    // Closes the link to a child and forgets what is below it, without news.
    void detach_child(HostId child);
    // To frame.destination, wherever that is; a frame for this host itself is delivered. If there is no way
    // to it, the root is told.
    void send(Frame frame);
    void multicast(Frame frame, const HostSet& to);
    // Waits while the link towards `host` has too much queued.
    Task<void> drained_towards(HostId host);

    [[nodiscard]] std::vector<HostId> below() const { return router_.below(); }
    [[nodiscard]] HostId self() const { return router_.self(); }
    [[nodiscard]] const TreeSettings& settings() const { return settings_; }
    [[nodiscard]] const Executor& executor() const { return executor_; }
    [[nodiscard]] Clock& clock() const { return clock_; }

  private:
    struct Neighbour {
        HostId id{};
        bool parent = false;
        std::unique_ptr<Link> link;
        TimePoint heard{};
        TimePoint spoke{};
        bool suspect = false;
        std::optional<TimePoint> deaf_since;  // a child that says that it hears nothing
        bool told = false;                    // a parent: that it is not heard
    };
    using NeighbourPtr = std::shared_ptr<Neighbour>;

    void attach(NeighbourPtr neighbour);
    Task<void> receive_from(NeighbourPtr neighbour);
    Task<void> keep_heartbeats();
    void forgive(Duration own_silence);
    void beat(const NeighbourPtr& neighbour);
    void handle(const NeighbourPtr& from, Frame frame);
    void heard_from(const NeighbourPtr& neighbour, const Frame& frame);
    void ping(const NeighbourPtr& to);
    void dismiss(const NeighbourPtr& child);
    bool lawful(const NeighbourPtr& from, const Frame& frame);
    bool learn(HostId child, const Frame& frame);
    void move(const Joined& place);
    void forget_lost(HostId child, Frame& frame);
    void relay_multicast(Frame frame);
    void post(const NeighbourPtr& to, Frame frame);
    void pass_up(Frame frame);
    [[nodiscard]] std::optional<HostId> own_child(HostId host) const;
    void tell_joins(const std::vector<Joined>& joins);
    void tell_unreachable(const std::vector<HostId>& hosts);
    void forget(const std::vector<HostId>& gone);
    void lose(const NeighbourPtr& neighbour, const Failure& failure);
    [[nodiscard]] NeighbourPtr towards(HostId host) const;

    Executor executor_;
    Clock& clock_;
    TreeSettings settings_;
    Router router_;
    NodeUser* user_;
    NeighbourPtr parent_;
    std::map<HostId, NeighbourPtr> children_;
    std::shared_ptr<EndCollector> ends_;
    std::shared_ptr<Gathered<Joined>> joins_;
    std::shared_ptr<Gathered<HostId>> unreachable_;
};

}  // namespace trellis
