// Resumption: one host's part in going on from an earlier broadcast of the same object: it finds out what is
// left of that and whether it is right, and takes it as come once the source has agreed. Owned by the
// recipient.
#pragma once

#include "trellis/file_store.hpp"

#include "plugins/bcast/holding.hpp"
#include "plugins/bcast/messages.hpp"
#include "plugins/bcast/remains.hpp"
#include "plugins/bcast/storing.hpp"

namespace trellis::plugins::bcast {

class Resumption {
  public:
    // All of it outlives the object.
    Resumption(FileStore& files, Holding& holding, Staging& staging, const About& about)
        : holding_(holding), staging_(staging), remains_(files, staging, about) {}

    [[nodiscard]] Remains& remains() { return remains_; }
    // Reads what is left. Failure: it cannot be used, and it cannot be done anew.
    Task<Result<void>> check(Storing& storing);
    // So many chunks were found to be right, by now.
    [[nodiscard]] ChunkNumber right() const { return right_; }
    [[nodiscard]] Kept kept() const;
    // The source has the same chunks, or else all that is left is removed.
    Task<Result<void>> settle(Storing& storing, bool agreed);

  private:
    Holding& holding_;
    Staging& staging_;
    Remains remains_;
    ChunkNumber right_ = 0;
};

// Which of these have the same chunks as `holding`, once those have been read.
[[nodiscard]] Task<std::vector<HostId>> agreeing(Holding& holding, std::vector<Claim> claims);

}  // namespace trellis::plugins::bcast
