// RecordRole: one host's part in `estimate record`. It answers probes all the time, and measures its peers,
// some at a time, whenever the root asks for a row; a row that is asked for before the one before it is
// complete follows it at once, and of several only the newest. Owned by the role that runs it.
#pragma once

#include "trellis/prober.hpp"
#include "trellis/role.hpp"

#include "agentd/core/mailbox.hpp"
#include "plugins/estimate/record/messages.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace trellis::plugins::estimate {

class RecordRole {
  public:
    // `context` outlives it.
    explicit RecordRole(RoleContext& context) : context_(context), changed_(context.world().executor) {}
    Task<RoleResult> run();

  private:
    Task<void> read_messages();
    void meet(const Meet& meet);
    Task<void> measure_rows();
    Task<void> fill_lanes(std::size_t lanes);
    Task<void> fill_lane();
    void tell_root(const ToRecorder& message) { context_.send(root_id, encode(message)); }

    RoleContext& context_;
    Signal changed_;
    std::unique_ptr<Prober::Session> probing_;
    std::vector<RecordPeer> peers_;  // to be measured
    ProbePlan plan_;
    std::uint64_t wanted_ = 0;  // row
    std::size_t next_peer_ = 0;
    Measured measured_;
};

}  // namespace trellis::plugins::estimate
