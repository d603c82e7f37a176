// Storing: checks the chunks that have come against their digests and puts them in their files, apart from
// the forwarding. Owned by the recipient.
#pragma once

#include "trellis/file_store.hpp"

#include "plugins/bcast/holding.hpp"
#include "plugins/bcast/staging.hpp"

#include <memory>
#include <string>

namespace trellis::plugins::bcast {

class Storing {
  public:
    // All of it outlives the object.
    Storing(FileStore& files, Holding& holding, Staging& staging)
        : files_(files), holding_(holding), staging_(staging) {}

    enum class Outcome : std::uint8_t { stored, damaged };
    // The next chunk that has come whole. Failure: it cannot be stored.
    Task<Result<Outcome>> store_next();
    // A chunk that has been stored.
    Task<Result<std::shared_ptr<const Chunk>>> read(ChunkNumber chunk);
    // Reads all files again and compares them with the digests.
    Task<Result<void>> verify();

  private:
    Result<void> put(ChunkNumber number, const Chunk& chunk);
    Result<std::string> get(ChunkNumber number);

    FileStore& files_;
    Holding& holding_;
    Staging& staging_;
    std::string manifest_;  // as it came
};

}  // namespace trellis::plugins::bcast
