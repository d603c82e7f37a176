// Agent: what runs on a host once the link to its parent stands. It joins the tree, runs the roles of
// operations that the root starts, and ends when its parent is gone. Owned by main.cpp (or by a simulated
// host).
#pragma once

#include "trellis/world.hpp"

#include "agentd/core/mailbox.hpp"
#include "agentd/core/node.hpp"
#include "agentd/core/running_operation.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace trellis {

class Agent final : public NodeUser {
  public:
    // `hello` describes this host; `roles` is the table of operations that it can run.
    Agent(const World& world, Hello hello, std::vector<RoleEntry> roles);
    ~Agent() override;

    // Greets the parent and serves until it is gone or says bye. Returns why it ended; nothing runs any more
    // then but roles that have not ended for ten minutes, as those that wait for a file system that hangs.
    Task<Failure> run(std::unique_ptr<Link> parent);

    // A link to a new parent, through the door of this agent. What it brought comes with it.
    Task<void> rejoin(std::unique_ptr<Link> parent);
    // Called with the name of the door at which a new parent would knock, once it is known.
    void on_door(std::function<void(const std::string& name)> open) { open_door_ = std::move(open); }

    // A line for the user, from this host.
    void note(std::string text);

    [[nodiscard]] std::size_t roles_running() const { return operations_.size(); }

    // NodeUser
    void deliver(Frame frame) override;
    void child_news(FrameType type, ChildNews news) override;
    void parent_lost(const Failure& failure) override;

  private:
    Task<Result<Welcome>> greet(Link& parent);
    void end(const Failure& failure);
    static Task<void> wait_for_parent(std::weak_ptr<Agent*> agent, std::uint64_t loss, Failure failure);
    void start_operation(const Frame& frame);
    [[nodiscard]] std::shared_ptr<RunningOperation> find_operation(OperationId id) const;
    void tell_progress();
    void resume(const Frame& frame);
    static Task<void> run_role(Agent* agent, std::shared_ptr<RunningOperation> operation,
                               std::unique_ptr<Role> role);
    static Task<void> watch_time(Agent* agent, std::weak_ptr<RunningOperation> operation, Duration remaining);
    void finish_operation(RunningOperation& operation, const RoleResult& result);
    Task<void> end_operations();
    Task<void> operations_ended(Duration most);

    World world_;
    Hello hello_;
    Host self_;  // once it is welcomed
    std::vector<RoleEntry> roles_;
    std::shared_ptr<Node> node_;
    std::map<OperationId, std::shared_ptr<RunningOperation>> operations_;
    std::map<OperationId, std::shared_ptr<RunningOperation>> finished_;  // the root may have to be told again
    std::optional<Failure> ended_;
    std::uint64_t losses_ =
        0;  // of parents, and returns of them: a waiting for one is over when it has changed
    std::function<void(const std::string&)> open_door_;
    std::shared_ptr<Agent*> alive_ = std::make_shared<Agent*>(this);
    Signal changed_;
};

}  // namespace trellis
