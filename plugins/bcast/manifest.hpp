// Manifest: what is sent: files, directories and links with their modes and times, in the order in which
// their contents follow. A value; it comes from another host, so validate() before use.
#pragma once

#include "trellis/file_store.hpp"
#include "trellis/message.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace trellis::plugins::bcast {

struct Entry {
    std::string path;  // below the first entry, whose path is empty
    FileType type = FileType::file;
    std::uint32_t mode = 0;
    std::int64_t modified = 0;
    std::uint64_t size = 0;  // of a file
    std::string target;      // of a link; of a file that has no contents of its own: the path before of which
                             // this is another name
    [[nodiscard]] bool is_hard_link() const { return type == FileType::file && !target.empty(); }
    [[nodiscard]] FileStatus status() const { return {type, mode, modified, size, target}; }
    friend bool operator==(const Entry&, const Entry&) = default;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(path, type, mode, modified, size, target);
    }
};

inline constexpr std::size_t most_entries = 10'000'000;
inline constexpr std::uint64_t most_manifest_bytes = std::uint64_t{1} << 30;

struct Manifest {
    std::vector<Entry> entries;
    [[nodiscard]] std::uint64_t content_bytes() const;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(entries);
    }
};

// Where what `path` of an entry names lies, below the first one at `root`.
[[nodiscard]] std::string path_below(const std::string& root, const std::string& path);

// Where a path leads to that may be a symbolic link, as one opens no links; the path itself where that is
// nothing.
[[nodiscard]] std::string led_to(FileStore& files, const std::string& path);

// What lies at a path, all that is below it included; blocks. Sockets and devices are refused by name.
[[nodiscard]] Result<Manifest> read_manifest(FileStore& files, const std::string& path);

// A first entry, all others below it, each in a directory that came before, no name twice, no way out by ..
// or through a link; hard links to files that came before. `content_bytes`: what the contents must sum up to;
// nothing: one file of any size.
[[nodiscard]] Result<void> validate(const Manifest& manifest, std::optional<std::uint64_t> content_bytes);

// A part of the contents that lies in one file.
struct ContentPart {
    std::size_t entry = 0;
    std::uint64_t offset = 0;  // in the file
    std::size_t size = 0;
};

// Where the contents of which file lie.
class ContentMap {
  public:
    ContentMap() = default;
    explicit ContentMap(const Manifest& manifest);
    // The parts of this range in order; what is behind the last file belongs to it.
    [[nodiscard]] std::vector<ContentPart> parts(std::uint64_t offset, std::size_t size) const;

  private:
    std::vector<std::uint64_t> begins_;  // of the contents of each file that has any, or is the only one
    std::vector<std::size_t> entries_;
};

}  // namespace trellis::plugins::bcast
