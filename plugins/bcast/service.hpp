// Service: gives the object to the hosts that connect to this one. Owned by a recipient or by the giver,
// within whose crew it works.
#pragma once

#include "trellis/byte_stream.hpp"
#include "trellis/role.hpp"

#include "agentd/core/crew.hpp"
#include "plugins/bcast/feeder.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace trellis::plugins::bcast {

class Service {
  public:
    using ReadAgain = std::function<Task<Result<std::shared_ptr<const Chunk>>>(ChunkNumber chunk)>;

    // Takes a connection that the root has made.
    using OnRoot = std::function<Task<void>(std::shared_ptr<ByteStream> connection)>;

    // All of it outlives the object. `link`: which it keeps below (ByteStream); nothing: it sends as it goes.
    Service(RoleContext& context, Holding& holding, Crew& crew, ReadAgain read_again, OnRoot on_root,
            std::optional<double> link = {})
        : context_(context),
          holding_(holding),
          crew_(crew),
          read_again_(std::move(read_again)),
          on_root_(std::move(on_root)),
          link_(link) {}

    // Listens, if that is possible, from now on; where. Only while the crew runs.
    Endpoint open();
    // Of what is being sent, the bytes that the one who waits most for it does not have yet. Nothing where
    // nobody is served, or that cannot be told.
    [[nodiscard]] std::optional<std::uint64_t> ahead() const;
    [[nodiscard]] std::uint64_t sent() const { return sent_; }  // bytes of the object

  private:
    Task<void> accept_all();
    Task<void> serve(Network::Incoming incoming);

    RoleContext& context_;
    Holding& holding_;
    Crew& crew_;
    ReadAgain read_again_;
    OnRoot on_root_;
    std::optional<double> link_;
    std::unique_ptr<Network::Listener> listener_;
    std::vector<std::weak_ptr<ByteStream>> served_;
    std::uint64_t sent_ = 0;
};

}  // namespace trellis::plugins::bcast
