// Feeder: sends the object to one host, from a position on to its end: what is kept in memory, what has to be
// read again, and what comes while it comes. Owned by the coroutine that runs it; it never waits for a chunk
// to be whole.
#pragma once

#include "trellis/byte_stream.hpp"
#include "trellis/clock.hpp"

#include "plugins/bcast/holding.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace trellis::plugins::bcast {

// Whoever waits for changes of a Holding is woken so often, at least.
inline constexpr Duration tick = std::chrono::milliseconds(100);

using Parts = std::span<const std::string_view>;  // that follow one another
[[nodiscard]] std::string joined(Parts parts);

struct FeederParts {
    // Bytes of records, to the host: all parts, which stay valid until it returns.
    std::function<Task<Result<void>>(Parts parts)> write;
    // These bytes and behind them a part of a file; of a Holding that has chunks in files.
    std::function<Task<Result<void>>(std::string_view head, OpenFile& file, std::uint64_t offset,
                                     std::size_t size)>
        write_file;
    // A stored chunk that is not kept in memory.
    std::function<Task<Result<std::shared_ptr<const Chunk>>>(ChunkNumber chunk)> read_again;
    std::uint64_t* sent = nullptr;  // where the bytes of the object are counted
};

// Closes a connection to a host when that has turned to another one, or is gone, so that nothing more is
// sent.
Task<void> close_when_left(std::shared_ptr<ByteStream> stream);

// The first `size` bytes of what comes, or more; fewer if the stream ends.
Task<std::string> read_first(ByteStream& stream, std::size_t size);

class Feeder {
  public:
    // All of it outlives the feeder.
    Feeder(Holding& holding, Clock& clock, FeederParts parts, Position from)
        : holding_(holding), clock_(clock), parts_(std::move(parts)), at_(from) {}

    // Returns when the host has been sent the end; a Failure if it takes no more, or when there is no more.
    Task<Result<void>> run();

  private:
    Task<Result<void>> step();
    // Whether the chunk must be begun again, since it was sent otherwise until now.
    bool turns_to(bool packed);
    Task<Result<void>> send_whole();
    Task<Result<void>> write_again();
    Task<Result<void>> send_coming();
    Task<Result<void>> send_end();
    Task<Result<void>> send_stop(Failure why);
    Task<Result<void>> wait();
    Task<Result<void>> send(std::shared_ptr<const Chunk> chunk, std::size_t end);
    Task<Result<void>> send_from_file(std::shared_ptr<const Chunk> chunk, std::size_t end);
    Task<Result<void>> write(std::string header, std::string_view piece = {});

    Holding& holding_;
    Clock& clock_;
    FeederParts parts_;
    Position at_;
    TimePoint last_ = clock_.now();
    std::string ahead_;  // of what is written next, as a write for it alone costs as much as one of many KB
    bool more_comes_ = false;  // soon, behind it
    bool packed_ = false;      // as the current chunk is sent
    bool done_ = false;
};

}  // namespace trellis::plugins::bcast
