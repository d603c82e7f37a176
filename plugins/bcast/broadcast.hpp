// Broadcast: the root's part in one transfer: it says who takes the object from whom, gives it to the first
// host and to whoever else asks, and counts who has it. Owned by the command.
#pragma once

#include "trellis/command.hpp"

#include "agentd/core/crew.hpp"
#include "plugins/bcast/feeder.hpp"
#include "plugins/bcast/messages.hpp"
#include "plugins/bcast/source.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace trellis::plugins::bcast {

// How it ended on one host.
struct HostReport {
    std::string name;
    std::string cause;     // empty: it has the object
    bool by_tree = false;  // it, or a part of it, came over the control tree, since no host before it could
                           // give it
};

struct Report {
    std::vector<HostReport> hosts;  // in the order of the chain
    std::uint64_t bytes = 0;        // of the contents
    Duration taken{};
    [[nodiscard]] std::size_t have() const;
};

class Broadcast {
  public:
    // `hosts` in the order of the chain. `source` outlives it.
    Broadcast(CommandContext& context, Source& source, std::vector<Host> hosts, std::string destination);

    Task<Report> run();

  private:
    enum class State : std::uint8_t { asked, ready, has, out };
    struct Part {
        State state = State::asked;
        Ready ready;
        ChunkNumber stored = 0;
        std::string cause;
        bool by_tree = false;
    };
    [[nodiscard]] BcastRequest request() const;
    Task<Report> conduct();
    void take(const OperationEvent& event);
    void take(HostId host, const ToRoot& message);
    void leave_out(HostId host, const std::string& cause);
    void advance();
    void begin();
    [[nodiscard]] std::size_t count(State state) const;
    Task<void> produce();
    Task<void> feed(HostId host, Ask ask);
    Task<void> keep_time();
    void show_progress();
    Task<Result<std::shared_ptr<const Chunk>>> read_again(ChunkNumber chunk);
    void tell_all(const ToRole& message) { operation_->send_all(encode(message)); }
    [[nodiscard]] Report report() const;

    CommandContext& context_;
    Source& source_;
    std::vector<Host> hosts_;
    std::string destination_;
    Executor executor_;
    std::optional<Holding> holding_;
    std::optional<Crew> crew_;
    std::unique_ptr<Operation> operation_;
    std::map<HostId, Part> parts_;
    HostId first_{};  // of the chain
    TimePoint started_{};
    TimePoint ended_{};
    bool begun_ = false;
    bool finished_ = false;
};

}  // namespace trellis::plugins::bcast
