// Source: where the object comes from. Owned by the side of a broadcast that has it; it numbers chunks as
// Shape does, and never keeps them.
#pragma once

#include "trellis/file_store.hpp"

#include "plugins/bcast/digester.hpp"
#include "plugins/bcast/manifest.hpp"
#include "plugins/bcast/object.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace trellis::plugins::bcast {

class Source {
  public:
    virtual ~Source() = default;
    [[nodiscard]] virtual const About& about() const = 0;
    // Null behind the last chunk. A chunk that is not the next one may be gone: a Failure, `lost`.
    virtual Task<Result<std::shared_ptr<const Chunk>>> read(ChunkNumber chunk) = 0;
    // When all of it has been read: whether it is still what it was at the beginning.
    virtual Task<Result<void>> check() = 0;
};

// A file, or a directory with all that is in it. Its reading and that of the source end when the files
// answer.
[[nodiscard]] Task<Result<std::unique_ptr<Source>>> open_path(std::shared_ptr<FileStore> files,
                                                              std::string path,
                                                              Digester digester = Digester());

// One file of what `read` gives, until it gives nothing. `files` lends it a thread.
[[nodiscard]] std::unique_ptr<Source> open_stream(std::shared_ptr<FileStore> files,
                                                  std::function<Task<Result<std::string>>()> read,
                                                  Digester digester = Digester());

}  // namespace trellis::plugins::bcast
