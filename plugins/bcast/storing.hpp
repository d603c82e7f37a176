// Storing: checks the chunks that have come against their digests and puts them in their files, apart from
// the forwarding. Owned by the recipient.
#pragma once

#include "trellis/byte_stream.hpp"
#include "trellis/file_store.hpp"

#include "plugins/bcast/digester.hpp"
#include "plugins/bcast/file_watch.hpp"
#include "plugins/bcast/holding.hpp"
#include "plugins/bcast/remains.hpp"
#include "plugins/bcast/staging.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace trellis::plugins::bcast {

class Storing {
  public:
    // All of it outlives the object; `remains` may be null.
    Storing(FileStore& files, Holding& holding, Staging& staging, Remains* remains = nullptr,
            Digester digester = Digester())
        : files_(files),
          holding_(holding),
          staging_(staging),
          remains_(remains),
          digester_(std::move(digester)),
          filed_(digester_) {}

    // Whether the chunk that is coming may come straight to its file, before it is checked.
    [[nodiscard]] bool takes_coming() const;
    // Its next bytes, at most as many as there is space for: those of the haul or, if it is null, zeros;
    // where the chunk lies. Failure: they cannot be stored; that stays so.
    Task<Result<FilePlace>> put(std::size_t size, Haul* haul);
    [[nodiscard]] const std::optional<Failure>& failed() const { return failed_; }

    enum class Outcome : std::uint8_t { stored, damaged };
    // The next chunk that has come whole. Failure: it cannot be stored.
    Task<Result<Outcome>> store_next();
    // A chunk that has been stored.
    Task<Result<std::shared_ptr<const Chunk>>> read(ChunkNumber chunk);
    // Goes on with this manifest, encoded, whose files are there.
    void know(std::string manifest) { manifest_ = std::move(manifest); }
    // Whether a chunk that may be there is the one of this digest.
    Task<bool> is_right(ChunkNumber chunk, Digest digest);
    // Reads all files again and compares them with the digests.
    Task<Result<void>> verify();

    // Runs other work on the files beside everything else, as FileStore::apart().
    Task<void> apart(std::function<void()> work);
    // To be called every tick: whether the files have not answered for so long that they are given up. Said
    // once.
    [[nodiscard]] bool hangs() { return watch_.hang(awaited_ > 0); }

  private:
    Result<void> write(ChunkNumber number, std::string_view bytes, const Digest& digest);
    Result<std::string> get(ChunkNumber number);
    Result<FilePlace> put_now(Position from, std::size_t size, Haul* haul);
    [[nodiscard]] Result<Digest> digest_in_file(ChunkNumber number, const Chunk& chunk) const;
    [[nodiscard]] bool is_checked_at_once(const Chunk& chunk) const;
    Result<bool> check_and_put(ChunkNumber number, const Chunk& chunk);
    Task<void> answered(Task<void> work);

    FileStore& files_;
    Holding& holding_;
    Staging& staging_;
    Remains* remains_;  // of this transfer, for a later one
    Digester digester_;
    FileDigest filed_;      // of the chunk that is coming
    std::mutex writing_;    // the manifest and the files: what comes is stored beside put() and read()
    std::string manifest_;  // as it came
    std::optional<Failure> failed_;
    FileWatch watch_{files_};
    std::size_t awaited_ = 0;  // works
};

}  // namespace trellis::plugins::bcast
