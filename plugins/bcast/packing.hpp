// Packing: chunks that are made smaller (zstd) at the source and go so from host to host. Pure functions, and
// a source that packs what another one reads.
#pragma once

#include "plugins/bcast/source.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace trellis::plugins::bcast {

// Nothing if that would not save a sixteenth.
[[nodiscard]] std::optional<std::string> pack(std::string_view bytes);

// Exactly so many bytes; nothing if it is damaged, whatever it claims to hold.
[[nodiscard]] std::optional<std::string> unpack(std::string_view packed, std::size_t size);

// Packs the contents where that saves something, zeros excepted, of which only the number is sent. `files`
// lends it a thread.
[[nodiscard]] std::unique_ptr<Source> packing_source(std::shared_ptr<FileStore> files,
                                                     std::unique_ptr<Source> source);

}  // namespace trellis::plugins::bcast
