// FlowWork: one host's part of a measurement: it sends and takes flows as it is told. Shared by the role,
// which owns it, and the coroutines on its streams; after close() it sends nothing and tells nobody anything.
#pragma once

#include "trellis/role.hpp"

#include "agentd/core/mailbox.hpp"
#include "plugins/bwtree/messages.hpp"

#include <map>
#include <memory>
#include <set>
#include <vector>

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
    struct Outgoing {
        Sending what;
        std::vector<Stream> streams;
        std::uint64_t left = 0;  // bytes that it may still send
        bool ended = false;      // has been reported for the last time
    };

    void begin(const Assignment& assignment);
    void go(std::uint32_t round);
    void stop(std::uint32_t round);
    Task<void> send(std::uint32_t round, std::shared_ptr<Outgoing> flow);
    Task<Result<Stream>> connect(std::uint32_t round, const Outgoing& flow);
    Task<void> write(std::uint32_t round, std::shared_ptr<Outgoing> flow, Stream stream);
    Task<void> measure(std::uint32_t round, std::shared_ptr<Outgoing> flow);
    Task<void> accept_all();
    Task<void> read(HostId peer, Stream stream);
    void report(Outgoing& flow, std::vector<float> rates, bool last);
    void fail(std::uint32_t round, Outgoing& flow, const Failure& failure);
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
    // Of this round:
    std::map<FlowNumber, HostId> incoming_;  // from whom
    std::vector<std::shared_ptr<Outgoing>> outgoing_;
    std::uint64_t sent_ = 0;
    bool going_ = false, stopped_ = false;
    bool closed_ = false;
};

}  // namespace trellis::plugins::bwtree
