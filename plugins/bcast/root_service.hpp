// RootService: gives the object from the root to the hosts that ask for it, on connections that it makes to
// them, and over the control tree where it cannot. Owned by the root's part in a broadcast, within whose crew
// it works.
#pragma once

#include "trellis/clock.hpp"
#include "trellis/operation.hpp"

#include "agentd/core/crew.hpp"
#include "plugins/bcast/feeder.hpp"
#include "plugins/bcast/messages.hpp"

#include <functional>
#include <memory>

namespace trellis::plugins::bcast {

class RootService {
  public:
    using ReadAgain = std::function<Task<Result<std::shared_ptr<const Chunk>>>(ChunkNumber chunk)>;

    // `limit`: bytes a second that leave it, to all hosts together; 0: as fast as it goes. `slowest_link`: of
    // the hosts' ways to one another, bits a second; 0: not known. All of it outlives the object.
    RootService(Operation& operation, Clock& clock, Holding& holding, Crew& crew, ReadAgain read_again,
                double limit, double slowest_link)
        : operation_(operation),
          clock_(clock),
          holding_(holding),
          crew_(crew),
          read_again_(std::move(read_again)),
          limit_(limit),
          slowest_link_(slowest_link) {}

    // A host has asked, which listens there. Returns when it has all, or takes no more. `on_tree`: there is
    // no connection.
    Task<void> serve(HostId host, Endpoint at, Ask ask, std::function<void()> on_tree);

  private:
    using Connection = std::shared_ptr<ByteStream>;
    Task<Connection> connect(HostId host, Endpoint at, std::uint32_t stream);
    Task<void> close_unless(std::shared_ptr<bool> asked, Connection connection);
    using Write = std::function<Task<Result<void>>(Parts parts)>;
    Task<Result<void>> write_limited(Parts parts, const Write& write);
    Task<void> keep_to_limit(std::size_t size);

    Operation& operation_;
    Clock& clock_;
    Holding& holding_;
    Crew& crew_;
    ReadAgain read_again_;
    double limit_;
    double slowest_link_;
    TimePoint free_{};  // when the limit lets the next bytes leave
    int served_ = 0;    // hosts
};

}  // namespace trellis::plugins::bcast
