// Digester: the digest of each chunk of one broadcast: a tag of AES-128-GMAC under a key that the root draws
// for this broadcast and sends over the control tree, so that nobody on the way can make one; where a later
// broadcast is to know the chunks again, SHA-256, which costs a multiple. A value; it neither keeps nor sends
// anything.
#pragma once

#include "trellis/file_store.hpp"

#include "plugins/bcast/object.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

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
    // Of a part of a file; with a key. Blocks.
    [[nodiscard]] Result<Digest> of(ChunkNumber chunk, OpenFile& file, std::uint64_t offset,
                                    std::size_t size) const;

  private:
    std::string key_;
};

}  // namespace trellis::plugins::bcast
