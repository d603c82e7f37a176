// PublishedRole: one host's part in the published method (planner.hpp). It answers the probes of others all
// the time; when the tree reaches it, it finds its own place and passes the tree on. Owned by the role that
// runs it.
#pragma once

#include "trellis/role.hpp"

#include "agentd/core/mailbox.hpp"
#include "agentd/data/peer_messenger.hpp"
#include "plugins/infer/messages.hpp"
#include "plugins/infer/published/planner.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace trellis::plugins::infer {

class PublishedRole {
  public:
    // `context` outlives it.
    PublishedRole(RoleContext& context, const InferRequest& request);
    Task<RoleResult> run();

  private:
    Task<RoleResult> work();
    Task<void> read_messages();
    void handle(const PeerMessage& message);
    void accept_tree(TreePassed passed);
    void skip(HostNumber host);
    Task<void> take_part();
    Task<Measurements> search_close_host(const TravellingTree& early);
    Task<TravellingTree> insert(TravellingTree whole, Measurements known);
    Task<std::optional<PairMeasurement>> measure(HostNumber peer);
    Task<void> keep_passing();
    Task<void> pass();
    Task<void> pass_to(std::size_t position, bool whole);
    [[nodiscard]] Endpoint endpoint_of(const Participant& participant, std::uint16_t port) const;
    [[nodiscard]] bool gone_at(std::size_t position) const { return gone_[begin_->order[position]]; }
    [[nodiscard]] bool first_of_all() const;
    [[nodiscard]] std::size_t next_position() const;
    [[nodiscard]] HostNumber self_number() const { return begin_->order[position_]; }
    void tell_root(const ToRoot& message) { context_.send(root_id, encode(message)); }

    RoleContext& context_;
    ProbePlan plan_;
    std::unique_ptr<Prober::Session> probing_;
    std::unique_ptr<PeerMessenger> messenger_;
    Signal changed_;

    std::optional<Begin> begin_;
    std::size_t position_ = 0;             // of this host in the order
    std::vector<bool> gone_;               // by host number
    std::optional<TravellingTree> early_;  // from `lookahead` positions before
    std::optional<TravellingTree> whole_;  // from the host before
    std::optional<TravellingTree> own_;    // with this host, to be passed on
    std::optional<std::size_t> passed_to_;
    bool inserted_ = false;
};

}  // namespace trellis::plugins::infer
