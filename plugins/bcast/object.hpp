// The object of a broadcast: one sequence of bytes, first a manifest, then the contents of its files one
// after the other. Each of the two is cut in chunks of chunk_size, of which only the last one may be shorter.
// Values.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trellis {
class OpenFile;
}

namespace trellis::plugins::bcast {

inline constexpr std::size_t chunk_size = std::size_t{1} << 20;
inline constexpr std::size_t piece_size = std::size_t{512} << 10;  // most bytes that are handed on at once
inline constexpr std::size_t digest_size = 32;

using ChunkNumber = std::uint64_t;  // from the first of the manifest on
using Digest = std::string;         // 32 bytes (digester.hpp)

// One byte of the object.
struct Position {
    ChunkNumber chunk = 0;
    std::uint32_t offset = 0;  // in the chunk
    // That come before it, if all chunks are whole.
    [[nodiscard]] double bytes() const { return static_cast<double>(chunk * chunk_size + offset); }
    friend auto operator<=>(const Position&, const Position&) = default;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(chunk, offset);
    }
};

struct Shape {
    std::uint64_t manifest_bytes = 0;
    std::optional<std::uint64_t> content_bytes;  // nothing: known only at the end
    [[nodiscard]] ChunkNumber manifest_chunks() const { return chunks_of(manifest_bytes); }
    [[nodiscard]] std::optional<ChunkNumber> chunks() const {
        if (!content_bytes) return std::nullopt;
        return manifest_chunks() + chunks_of(*content_bytes);
    }
    [[nodiscard]] bool in_manifest(ChunkNumber chunk) const { return chunk < manifest_chunks(); }
    // Where a chunk begins, in the manifest or in the contents.
    [[nodiscard]] std::uint64_t begin_of(ChunkNumber chunk) const {
        return (in_manifest(chunk) ? chunk : chunk - manifest_chunks()) * chunk_size;
    }
    // The bytes of a chunk; at most chunk_size if that is not known yet.
    [[nodiscard]] std::size_t size_of(ChunkNumber chunk) const {
        const bool manifest = in_manifest(chunk);
        if (!manifest && !content_bytes) return chunk_size;
        const std::uint64_t end = manifest ? manifest_bytes : *content_bytes;
        const std::uint64_t begin = begin_of(chunk);
        return begin >= end ? 0 : static_cast<std::size_t>(std::min<std::uint64_t>(end - begin, chunk_size));
    }
    // Of the contents, in the chunks before this one.
    [[nodiscard]] std::uint64_t content_before(ChunkNumber chunk) const {
        return chunk <= manifest_chunks() ? 0 : begin_of(chunk - 1) + size_of(chunk - 1);
    }
    friend bool operator==(const Shape&, const Shape&) = default;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(manifest_bytes, content_bytes);
    }

  private:
    [[nodiscard]] static ChunkNumber chunks_of(std::uint64_t bytes) {
        return bytes / chunk_size + (bytes % chunk_size != 0 ? 1 : 0);
    }
};

// The last name in a path; empty if it has none of its own.
[[nodiscard]] std::string last_name(std::string path);
// Whether it names something in a directory, and nothing elsewhere.
[[nodiscard]] bool is_name(std::string_view text);

// For temporary names: tells those of one transfer from all others.
[[nodiscard]] std::string random_token();

struct About {
    Shape shape;
    bool directory = false;
    std::string name;        // empty: it has none
    std::string identity;    // digest of the manifest
    std::uint64_t room = 0;  // bytes that the contents take on a disk, without their holes
    // The same object; its room may change without it.
    friend bool operator==(const About& a, const About& b) {
        return a.shape == b.shape && a.directory == b.directory && a.name == b.name &&
               a.identity == b.identity;
    }
    template <class Archive>
    void serialize(Archive& archive) {
        archive(shape, directory, name, identity, room);
    }
};

// Where a chunk lies in a file, from its beginning on.
struct FilePlace {
    std::shared_ptr<OpenFile> file;  // null: nowhere
    std::uint64_t offset = 0;
    Digest digest{};  // of what lies there, once all of it is known to do so
};

// A part of a chunk: up to here there are bytes that are not known, or zeros.
struct Stretch {
    std::size_t end = 0;
    bool zeros = false;
};

struct Chunk {
    std::string bytes;            // unless they lie in a file
    Digest digest;                // of the chunk as it is in the object
    std::size_t packed_from = 0;  // its size there if `bytes` are packed (packing.hpp); else 0
    FilePlace place{};
    std::vector<Stretch> stretches{};  // in the file, one after the other
    [[nodiscard]] std::size_t size() const { return place.file ? stretches.back().end : bytes.size(); }
    [[nodiscard]] std::size_t size_in_object() const { return packed_from > 0 ? packed_from : size(); }
};

// At least one byte, and all of them zero.
[[nodiscard]] inline bool is_zero(std::string_view bytes) {
    return !bytes.empty() && bytes[0] == '\0' && bytes.substr(1) == bytes.substr(0, bytes.size() - 1);
}

// SHA-256.
[[nodiscard]] Digest digest_of(std::string_view bytes);
// Over the first so many of them.
[[nodiscard]] Digest digest_of_first(const std::vector<Digest>& digests, ChunkNumber count);

}  // namespace trellis::plugins::bcast
