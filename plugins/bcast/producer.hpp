// Producer: reads a source into a Holding as fast as somebody asks for it. Owned by the side that has the
// source.
#pragma once

#include "plugins/bcast/holding.hpp"
#include "plugins/bcast/source.hpp"

#include <cstddef>
#include <memory>

namespace trellis::plugins::bcast {

class Producer {
  public:
    static constexpr std::size_t kept_chunks = 32;  // that the Holding should keep

    // Both outlive it.
    Producer(Source& source, Holding& holding) : source_(source), holding_(holding) {}

    // Returns when all of it has been read and is what it was; else a Failure, with which the Holding stops.
    Task<Result<void>> run();
    // A chunk that is not kept; a Failure if it is no longer what it was.
    Task<Result<std::shared_ptr<const Chunk>>> read_again(ChunkNumber chunk);

  private:
    Task<Result<void>> read_all();

    Source& source_;
    Holding& holding_;
};

}  // namespace trellis::plugins::bcast
