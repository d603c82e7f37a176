// Broadcast: the root's part in one transfer: it says who takes the object from whom, gives it to the first
// host and to whoever else asks, and counts who has it. Owned by the command.
#pragma once

#include "trellis/command.hpp"

#include "agentd/core/crew.hpp"
#include "plugins/bcast/formation.hpp"
#include "plugins/bcast/messages.hpp"
#include "plugins/bcast/producer.hpp"
#include "plugins/bcast/report.hpp"
#include "plugins/bcast/root_service.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace trellis::plugins::bcast {

// What the user has asked for.
struct Wish {
    HostId source = root_id;  // a host that has it, or the shell
    std::string source_path;  // on that host
    std::string destination;
    Method method = Method::chain;
    double limit = 0;         // bytes a second that leave the source; 0: as fast as it goes
    double slowest_link = 0;  // of the chain's, bits a second; 0: not known
    bool verify = false;
    std::string pipe;  // a command that reads it
    bool resume = false;
    bool compress = false;
    bool plain = false;
    std::string digest_key;  // as in BcastRequest
};

class Broadcast {
  public:
    // `hosts` in their order. `source` outlives it; null if a host has it, which is the first one.
    Broadcast(CommandContext& context, About about, Source* source, std::vector<Host> hosts, Wish wish);

    Task<Report> run();

  private:
    enum class State : std::uint8_t { asked, ready, has, out };
    struct Part {
        State state = State::asked;
        Ready ready;
        ChunkNumber stored = 0;
        bool goes_on = false;  // from what it had kept
        std::string cause;
        TimePoint had{};           // when it said so
        Position asked{};          // the root for the rest from here
        int named_from_there = 0;  // how often the source was named to it since
        bool by_tree = false;
        bool awaited = true;  // until its role has ended
    };
    [[nodiscard]] BcastRequest request() const;
    Task<Report> conduct();
    void take(const OperationEvent& event);
    void take(HostId host, const ToRoot& message);
    void progressed(HostId host, Position end);
    Task<void> answer(HostId host, Ask ask);
    Task<bool> is_silent(HostId host);
    Task<bool> name_source(HostId host, Ask ask);
    void leave_out(HostId host, const std::string& cause);
    void give_up(HostId host, const std::string& cause);
    void advance();
    Task<void> begin();
    Task<std::vector<HostId>> judge();
    void exclude_late();
    void turn(const std::vector<Formation::Change>& changes);
    void seal(const Sealed& sealed);
    void tell_to_end(const std::string& cause);  // empty: as all is well
    [[nodiscard]] bool awaits_source() const;
    [[nodiscard]] std::size_t count(State state) const;
    Task<void> produce();
    Task<void> feed(HostId host, Ask ask);
    Task<void> keep_time();
    void show_progress();
    void tell_all(const ToRole& message) { operation_->send_all(encode(message)); }
    [[nodiscard]] Report report() const;

    CommandContext& context_;
    About about_;
    Source* source_;
    std::vector<Host> hosts_;
    Wish wish_;
    Executor executor_;
    std::optional<Holding> holding_;
    std::optional<Crew> crew_;
    std::optional<Producer> producer_;
    std::unique_ptr<Operation> operation_;
    std::map<HostId, Part> parts_;
    std::optional<RootService> service_;
    std::optional<Judged> judged_;        // by the host that is the source
    std::optional<Formation> formation_;  // once the hosts have been told
    TimePoint started_{};
    TimePoint ended_{};
    std::optional<TimePoint> told_to_end_;  // when the hosts were
    bool begun_ = false;
    bool sealed_ = false;
    bool finished_ = false;
};

}  // namespace trellis::plugins::bcast
