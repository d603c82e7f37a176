// Opens what lies at a path as a Source that waits for its files no longer than they may take: it fails when
// they hang, and whoever is cancelled need not wait for them.
#pragma once

#include "trellis/clock.hpp"
#include "trellis/file_store.hpp"

#include "plugins/bcast/digester.hpp"
#include "plugins/bcast/source.hpp"

#include <memory>
#include <string>

namespace trellis::plugins::bcast {

struct SourcePath {
    std::string path;
    Digester digester = Digester();
    bool packed = false;  // by a packing_source()
};

// `clock` outlives the source.
[[nodiscard]] Task<Result<std::unique_ptr<Source>>> open_patiently(std::shared_ptr<FileStore> files,
                                                                   Clock& clock, SourcePath what);

}  // namespace trellis::plugins::bcast
