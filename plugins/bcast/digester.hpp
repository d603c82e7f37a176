// Digester: the digest of each chunk of one broadcast: a tag of AES-128-GMAC under a key that the root draws
// for this broadcast and sends over the control tree, so that nobody on the way can make one; where a later
// broadcast is to know the chunks again, SHA-256, which costs a multiple. A value; it neither keeps nor sends
// anything.
#pragma once

#include "trellis/file_store.hpp"

#include "plugins/bcast/object.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trellis::plugins::bcast {

inline constexpr std::size_t digest_key_size = 16;
[[nodiscard]] inline bool is_digest_key(std::string_view key) {
    return key.empty() || key.size() == digest_key_size;
}

class Digester {
  public:
    // Without a key: SHA-256. A key serves for one broadcast: no two contents of a chunk may get a tag of it.
    explicit Digester(std::string key = {}) : key_(std::move(key)) {}

    [[nodiscard]] Digest of(ChunkNumber chunk, std::string_view bytes) const;

  private:
    friend class FileDigest;
    std::string key_;
};

class Gmac;

// The digest of a chunk that comes to a file part by part, each taken while it is still in the processor's
// cache. With a key; blocks.
class FileDigest {
  public:
    explicit FileDigest(const Digester& digester);
    ~FileDigest();
    FileDigest(const FileDigest&) = delete;
    FileDigest& operator=(const FileDigest&) = delete;

    // A part of the chunk that has just been written; what comes before it was not written since. The chunk
    // begins at `offset` in the file.
    struct Part {
        std::uint64_t offset = 0;
        std::size_t begin = 0, end = 0;
    };
    Result<void> take(ChunkNumber chunk, OpenFile& file, const Part& part);
    // Of all that was taken of the last chunk.
    [[nodiscard]] Digest end();

  private:
    std::string key_;
    std::unique_ptr<Gmac> tag_;
    ChunkNumber chunk_ = 0;
    std::size_t taken_ = 0;  // bytes of it
    std::vector<char> block_;
};

}  // namespace trellis::plugins::bcast
