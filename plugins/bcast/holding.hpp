// Holding: what one process has of the object: the digest of every chunk that has come, the bytes of the
// latest ones and of the one that is coming. Owned by the source's or the recipient's part of a broadcast; it
// knows no files and no peers.
#pragma once

#include "trellis/result.hpp"

#include "agentd/core/mailbox.hpp"
#include "plugins/bcast/object.hpp"

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trellis::plugins::bcast {

class Holding {
  public:
    // Keeps the latest `kept` chunks that are stored, and all that are not.
    Holding(const Executor& executor, Shape shape, std::size_t kept)
        : changed(executor), grown(executor), shape_(shape), kept_(kept) {}

    // What comes, in order. Failures (invalid): more or fewer bytes than the shape says.
    Result<void> append(std::string_view bytes, bool packed = false);
    // The same without a copy: where the next `size` bytes belong, and that some of them have come there. The
    // chunk keeps the place, even if it is forgotten meanwhile.
    struct Place {
        std::shared_ptr<Chunk> chunk;
        std::span<char> space;
    };
    Result<Place> place(std::size_t size, bool packed = false);
    void came(std::size_t size);
    // So many more bytes have come there, and not here, where there was space_left() for them: all of a chunk
    // or nothing.
    void came_to(const FilePlace& place, std::size_t size, bool zeros);
    // For bytes of the chunk that is coming that go to a file: 0 if it has come otherwise until now.
    [[nodiscard]] std::size_t space_left() const;
    // `packed_from`: as in Chunk.
    Result<void> seal(std::string_view digest, std::size_t packed_from = 0);
    // What is coming comes anew from the beginning of the chunk.
    void begin_again();
    Result<void> finish();
    // A whole chunk.
    Result<void> add(std::shared_ptr<const Chunk> chunk);
    // All chunks before this one are in a safe place, from which they can be read again.
    void stored_before(ChunkNumber chunk);
    // Forgets this chunk and all that has come behind it.
    void rewind(ChunkNumber chunk);
    // At the beginning: these chunks are in a safe place from an earlier time, the first ones of all.
    void go_on_from(std::vector<Digest> digests);
    // How often the source has been heard of, directly or through others: a sign that it is still connected.
    void beat(std::uint64_t pulse);
    [[nodiscard]] std::uint64_t pulse() const { return pulse_; }
    // There will be no more.
    void stop(const Failure& why);

    [[nodiscard]] const Shape& shape() const { return shape_; }
    [[nodiscard]] ChunkNumber chunks() const { return digests_.size(); }  // that have come whole
    // Of the chunk behind them: its first bytes; null if there are none.
    [[nodiscard]] std::shared_ptr<const Chunk> coming() const { return coming_; }
    [[nodiscard]] std::size_t coming_size() const { return coming_size_; }
    [[nodiscard]] bool coming_packed() const { return packed_; }
    [[nodiscard]] Position end() const { return {chunks(), static_cast<std::uint32_t>(coming_size_)}; }
    [[nodiscard]] bool finished() const { return finished_; }
    [[nodiscard]] const std::optional<Failure>& stopped() const { return stopped_; }
    [[nodiscard]] ChunkNumber stored() const { return stored_; }
    [[nodiscard]] ChunkNumber unstored() const { return chunks() - stored_; }
    [[nodiscard]] const Digest& digest(ChunkNumber chunk) const { return digests_[chunk]; }
    // Null if it is not kept.
    [[nodiscard]] std::shared_ptr<const Chunk> recent(ChunkNumber chunk) const;
    // Over the digests of all chunks that have come, or of the first ones of them.
    [[nodiscard]] Digest digest_of_all() const { return digest_of_first(chunks()); }
    [[nodiscard]] Digest digest_of_first(ChunkNumber count) const {
        return bcast::digest_of_first(digests_, count);
    }
    [[nodiscard]] std::uint64_t content_bytes() const;  // in the chunks that have come whole

    // The farthest chunk that somebody has asked for.
    void want(ChunkNumber chunk);
    [[nodiscard]] ChunkNumber wanted() const { return wanted_; }

    Signal changed;  // anything above but the bytes of the chunk that is coming
    Signal grown;    // anything above

  private:
    std::shared_ptr<Chunk> chunk_of(std::size_t size);
    void tell();

    Shape shape_;
    std::size_t kept_;
    std::vector<Digest> digests_;
    std::shared_ptr<Chunk> coming_;  // as long as it may become, until it is sealed
    std::size_t coming_size_ = 0;
    bool packed_ = false;  // that which is coming
    // Memory of chunks that nobody needs any more: new memory is filled with zeros first.
    std::shared_ptr<std::vector<std::string>> spare_ = std::make_shared<std::vector<std::string>>();
    std::map<ChunkNumber, std::shared_ptr<const Chunk>> recent_;
    ChunkNumber stored_ = 0;
    ChunkNumber wanted_ = 0;
    std::size_t last_size_ = chunk_size;  // of the last whole chunk
    std::uint64_t pulse_ = 0;
    bool finished_ = false;
    std::optional<Failure> stopped_;
};

}  // namespace trellis::plugins::bcast
