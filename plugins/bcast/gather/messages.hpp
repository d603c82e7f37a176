// What `gather` asks of every host. The host answers on streams, one for each file or directory that it has
// found: the length of an encoded About (4 bytes, little-endian), the About, and the object as records.
#pragma once

#include "trellis/host.hpp"
#include "trellis/message.hpp"

#include "plugins/bcast/object.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace trellis::plugins::bcast::gather {

inline constexpr std::uint32_t gather_version = 1;
inline constexpr std::uint32_t most_objects = 100'000;  // of one host
inline constexpr std::uint32_t most_about_bytes = 1 << 16;

struct GatherRequest {
    std::uint32_t version = gather_version;
    std::map<HostId, std::vector<std::string>> patterns;  // of each host, as the user wrote them
    std::map<HostId, std::string> directories;  // where those that are not absolute begin; else at home
    template <class Archive>
    void serialize(Archive& archive) {
        archive(version, patterns, directories);
    }
};

}  // namespace trellis::plugins::bcast::gather
