// Recipient: one host's part in a broadcast: it takes the object from the host before it in the chain, or
// from another one before that, gives it to whoever asks, and puts the files in their places. Owned by the
// role, for one operation.
#pragma once

#include "trellis/role.hpp"

#include "agentd/core/crew.hpp"
#include "plugins/bcast/messages.hpp"
#include "plugins/bcast/resumption.hpp"
#include "plugins/bcast/service.hpp"
#include "plugins/bcast/slackening.hpp"
#include "plugins/bcast/staging.hpp"
#include "plugins/bcast/storing.hpp"
#include "plugins/bcast/upstream.hpp"

#include <memory>
#include <optional>
#include <string>

namespace trellis::plugins::bcast {

class Recipient {
  public:
    // `context` outlives it.
    Recipient(RoleContext& context, BcastRequest request);

    Task<RoleResult> run();

  private:
    Task<Result<void>> prepare();
    Result<void> find_place();
    Task<Result<void>> look_for_remains();
    Task<Result<void>> go_on();
    [[nodiscard]] std::string kept_token() const;
    Task<RoleResult> take_part();
    Task<Result<void>> receive_object();
    Task<void> fetch();
    Task<Result<void>> put_in_place();
    Task<void> clear_away();
    void name_finally(std::string& cause) const;
    Failure spoilt(std::string cause);
    Task<void> pipe();
    Task<Result<void>> end_pipe();
    Task<void> receive_messages();
    void handle(ToRole message);
    Task<void> keep_time();
    void tell_root(const ToRoot& message) { context_.send(root_id, encode(message)); }

    RoleContext& context_;
    std::shared_ptr<FileStore> files_ = context_.world().files.another();
    BcastRequest request_;
    std::string directory_;  // of the command that reads it
    Holding holding_;
    std::unique_ptr<Staging> staging_;
    std::optional<Resumption> resumption_;  // if it is wanted
    std::optional<Storing> storing_;
    std::optional<Upstream> upstream_;
    std::optional<Service> service_;
    std::optional<Result<void>> fetched_;  // once all has come, or cannot
    std::optional<Result<void>> piped_;    // how the command ended
    bool complete_ = false;                // all has come, is stored and is right
    Slackening coming_, going_;
    std::optional<Begin> begin_;
    std::optional<Sealed> sealed_;
    std::optional<Finish> finish_;
    Crew crew_;
};

}  // namespace trellis::plugins::bcast
