// SurveyRole: one host's part in the default method. It carries out its turns of each batch, in their order:
// it measures a peer, or lets itself be measured by one, and tells the root what it found. Nobody measures it
// before its turn. A turn that fails holds up neither the next ones nor, beyond its time-outs, other hosts.
// Owned by the role that runs it.
#pragma once

#include "trellis/prober.hpp"
#include "trellis/role.hpp"

#include "agentd/core/mailbox.hpp"
#include "plugins/infer/survey/pair_window.hpp"
#include "plugins/infer/survey/survey_messages.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace trellis::plugins::infer {

class SurveyRole {
  public:
    // `context` outlives it. It learns of its peers from what it has to do.
    explicit SurveyRole(RoleContext& context);
    Task<RoleResult> run();

  private:
    class InFlight;

    Task<void> read_messages();
    void handle(HostId from, ToSurveyRole message);
    void accept(Assignment assignment);
    Task<void> take_part();
    void begin();
    Task<void> until_next();
    Task<void> carry_out();
    Task<void> take_in_order();
    Task<void> fill_lanes(std::int32_t lanes);
    Task<void> fill_lane();
    Task<void> serve_all(std::size_t first, std::size_t last);
    Task<void> take(Turn turn);
    Task<void> measure(HostNumber peer);
    Task<void> serve(HostNumber peer);
    Task<void> until_pointless(Turn turn);
    void keep(HostNumber peer, const ProbeResult& measured);
    void miss(HostNumber peer, const Failure& failure);
    void answer_if_due();
    void tell_root(const ToSurveyor& message) { context_.send(root_id, encode(message)); }
    [[nodiscard]] bool pointless(Turn turn) const;
    [[nodiscard]] ProbePlan plan() const;
    void introduce(const std::vector<TurnPeer>& peers);

    RoleContext& context_;
    Signal changed_;
    std::unique_ptr<Prober::Session> probing_;
    std::set<HostNumber> gone_;
    std::set<std::pair<std::uint32_t, HostId>> forgone_;  // batch and host
    std::optional<Assignment> next_;
    Assignment current_;
    std::map<HostNumber, TurnPeer> peers_;  // of current_
    std::size_t next_turn_ = 0;             // of current_.turns, for its lanes
    std::size_t to_measure_ = 0;            // turns of current_ that have not ended
    int in_flight_ = 0;                     // pairs that are being measured
    PairWindow window_;
    Duration rest_{0};  // due after the pair just measured
    Answer answer_;
    TimePoint answered_{};
};

}  // namespace trellis::plugins::infer
