// Giver: the part of the host on which the source lies, if that is not where the user sits: it says what
// there is, and gives it to the hosts. Owned by the role, for one operation.
#pragma once

#include "trellis/role.hpp"

#include "agentd/core/crew.hpp"
#include "plugins/bcast/messages.hpp"
#include "plugins/bcast/producer.hpp"
#include "plugins/bcast/resumption.hpp"
#include "plugins/bcast/service.hpp"

#include <memory>
#include <optional>
#include <string>

namespace trellis::plugins::bcast {

// What lies at the path that the request names: an encoded About as the body of the result.
[[nodiscard]] Task<RoleResult> describe_source(RoleContext& context, std::string path);

class Giver {
  public:
    // `context` outlives it.
    Giver(RoleContext& context, BcastRequest request);

    Task<RoleResult> run();

  private:
    Task<RoleResult> give();
    Task<void> produce();
    Task<void> judge(Judge judge);
    Task<void> receive_messages();
    Task<void> keep_time();
    void tell_root(const ToRoot& message) { context_.send(root_id, encode(message)); }

    RoleContext& context_;
    BcastRequest request_;
    Holding holding_;
    Crew crew_;
    std::unique_ptr<Source> source_;
    std::optional<Producer> producer_;
    std::optional<Service> service_;
    std::optional<Finish> finish_;
};

}  // namespace trellis::plugins::bcast
