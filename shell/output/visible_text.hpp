// Text from elsewhere made safe for a terminal. Pure.
#pragma once

#include <string>
#include <string_view>

namespace trellis {

// Control characters become visible (^[ for escape, ^M, \x9b), and so do bytes that are not UTF-8; tabs and
// line ends stay.
[[nodiscard]] std::string visible_text(std::string_view text);

}  // namespace trellis
