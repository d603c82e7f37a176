// Upstream: where a host takes the object from: the host before it in the chain; when that one fails or is
// silent, the one before that, and in the end the root over the control tree; each from where the last one
// left off. Owned by the recipient; it gives nothing to anybody.
#pragma once

#include "trellis/role.hpp"

#include "plugins/bcast/holding.hpp"
#include "plugins/bcast/messages.hpp"
#include "plugins/bcast/record.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace trellis::plugins::bcast {

class Upstream {
  public:
    // All of it outlives the object.
    Upstream(RoleContext& context, Holding& holding) : context_(context), holding_(holding) {}

    // Who can be asked: those in the chain before this host.
    void begin(const Begin& begin);
    // Returns when all of the object has come, or the Failure of the last one that could be asked. Once more
    // after what had come has been refused: the one who gave it is asked no more.
    Task<Result<void>> fetch();
    // What has come is damaged: ends the connection.
    void refuse() { close(); }
    // To be called every tick: ends the connection to a host that is silent.
    void check_silence();

  private:
    Task<Result<void>> fetch_from(const Member& peer);
    Task<Result<std::unique_ptr<ByteStream>>> open(const Member& peer);
    Task<Result<void>> take_all(ByteStream& stream);
    Result<void> take(std::string bytes);
    Result<void> take(const Record& record);
    void close();

    RoleContext& context_;
    Holding& holding_;
    std::vector<Member> left_;  // to be asked, the next one last
    std::shared_ptr<ByteStream> stream_;
    RecordReader reader_;
    bool direct_ = false;   // not through the tree
    bool reading_ = false;  // waiting for bytes
    int silent_ticks_ = 0;
    std::uint32_t streams_ = 0;
};

}  // namespace trellis::plugins::bcast
