// Remains: what a broadcast that stopped has left on a host, for the next one of the same source to go on
// from: the files under their temporary name and, beside them, a list: what is to be there, and the digest of
// every chunk that is. The list is written before the files and after the chunks, so that it is of use
// however the transfer ended; who goes on from it reads the chunks again. Owned by the recipient; its
// functions block.
#pragma once

#include "trellis/file_store.hpp"

#include "plugins/bcast/manifest.hpp"
#include "plugins/bcast/object.hpp"
#include "plugins/bcast/staging.hpp"

#include <memory>
#include <string>
#include <vector>

namespace trellis::plugins::bcast {

class Remains {
  public:
    // Of an object whose size is known. All of it outlives the object.
    Remains(FileStore& files, Staging& staging, const About& about)
        : files_(files), staging_(staging), about_(about) {}
    ~Remains();
    Remains(const Remains&) = delete;
    Remains& operator=(const Remains&) = delete;

    // Takes over what is there, so that nobody else does. What is of another source is removed. Failure:
    // somebody has taken it over and is at it, or it is not this user's, or cannot be read.
    Result<void> open();
    [[nodiscard]] bool other_source() const { return other_source_; }  // open() has removed such

    // Of all chunks that are on the list, from the first one of the manifest on; as listed, not as they are.
    [[nodiscard]] const std::vector<Digest>& listed() const { return listed_; }
    [[nodiscard]] const std::string& manifest() const {
        return manifest_;
    }  // encoded; empty: there is no list
    // Removes it all.
    Result<void> drop();

    // Of a new list, before anything is made under the temporary name.
    Result<void> begin(const std::string& manifest);
    // This chunk is in its place.
    Result<void> add(ChunkNumber chunk, const Digest& digest);

  private:
    [[nodiscard]] std::string path() const { return staging_.temporary() + ".list"; }
    [[nodiscard]] std::uint64_t place_of(ChunkNumber chunk) const;
    Result<void> read();
    Result<void> read_digests();

    FileStore& files_;
    Staging& staging_;
    const About& about_;
    std::unique_ptr<OpenFile> list_;
    std::string manifest_;
    std::vector<Digest> listed_;
    ChunkNumber added_ = 0;  // the last one, and one more
    bool other_source_ = false;
};

}  // namespace trellis::plugins::bcast
