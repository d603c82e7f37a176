// FlowWork: one host's part of a measurement: it sends and takes flows as it is told. Shared by the role,
// which owns it, and the coroutines on its streams; after close() it sends nothing and tells nobody anything.
#pragma once

#include "trellis/role.hpp"

#include "agentd/core/mailbox.hpp"
#include "plugins/bwtree/flow_meter.hpp"
#include "plugins/bwtree/messages.hpp"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

namespace trellis::plugins::bwtree {

class FlowWork : public std::enable_shared_from_this<FlowWork> {
  public:
    // The context is used until close().
    explicit FlowWork(RoleContext& context);
    FlowWork(const FlowWork&) = delete;
    FlowWork& operator=(const FlowWork&) = delete;

    // Begins to listen and says so to the root.
    Result<void> open();
    void handle(ToRole message);
    void close();

  private:
    using Stream = std::shared_ptr<ByteStream>;
    struct Incoming {
        Receiving what;
        std::optional<FlowMeter> meter;
        std::uint64_t bytes = 0;
        bool ended = false;  // has been reported for the last time
    };

    void begin(const Assignment& assignment);
    void go(std::uint32_t round);
    void stop(std::uint32_t round);
    Task<void> send(std::uint32_t round, Sending sending);
    Task<void> write(std::uint32_t round, Stream stream, std::shared_ptr<std::uint64_t> left);
    Task<void> accept_all();
    Task<void> read(HostId peer, Stream stream);
    Task<void> take(Stream stream, std::uint32_t round, Incoming& incoming);
    Task<void> give_up_late(std::uint32_t round, Duration after);
    void report(Incoming& incoming, bool last, std::string why = {});
    void refuse(std::uint32_t round, FlowNumber flow, const std::string& why);
    void close_streams();
    [[nodiscard]] bool running(std::uint32_t round) const;

    RoleContext& context_;
    Clock& clock_;
    Network& network_;
    Executor executor_;
    PeerSession session_;
    std::unique_ptr<Network::Listener> listener_;
    Signal changed_;
    std::set<Stream> streams_;
    std::uint32_t round_ = 0;
    std::map<FlowNumber, std::shared_ptr<Incoming>> incoming_;  // of this round
    std::uint64_t sent_ = 0;                                    // in this round
    Duration longest_{0};                                       // that a flow takes in this round
    bool going_ = false, stopped_ = false;                      // this round
    bool closed_ = false;
};

}  // namespace trellis::plugins::bwtree
