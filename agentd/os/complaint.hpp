// What a program said on its standard error: told as the cause if it fails.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace trellis {

// Adds to a complaint, of which the last 2,000 bytes are kept.
inline void add_complaint(std::string& complaint, std::string_view bytes) {
    constexpr std::size_t most = 2000;
    complaint += bytes;
    if (complaint.size() > most) complaint.erase(0, complaint.size() - most);
}

}  // namespace trellis
