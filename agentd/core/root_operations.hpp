// RootOperations: the table of operations at the root. It turns frames and news of hosts into the events of
// each Operation, and makes sure that every host gets an outcome. Owned by the Root.
#pragma once

#include "trellis/operation.hpp"

#include "agentd/core/membership.hpp"
#include "agentd/core/node.hpp"

#include <map>
#include <memory>
#include <string>

namespace trellis {

class RootOperation;

class RootOperations final : public Operations {
  public:
    // All but the executor outlive it.
    RootOperations(Executor executor, Network& network, std::shared_ptr<Node> node,
                   const Membership& membership);
    ~RootOperations() override;
    RootOperations(const RootOperations&) = delete;
    RootOperations& operator=(const RootOperations&) = delete;

    std::unique_ptr<Operation> start(OperationRequest request) override;

    // From the Root.
    void deliver(Frame frame);
    void host_changed(HostId host, MemberState state, const std::string& cause);
    // After a host has come back: what the root has got from it; what the host has not got is sent again.
    [[nodiscard]] Resume progress(HostId host) const;
    void send_again(HostId host, const Resume& at_host);

  private:
    friend class RootOperation;
    StartOperation start_message(const OperationRequest& request) const;

    Executor executor_;
    Network& network_;
    std::shared_ptr<Node> node_;
    const Membership& membership_;
    std::map<OperationId, RootOperation*> running_;  // each removes itself when destroyed
    std::uint32_t last_id_ = 0;
};

}  // namespace trellis
