// `trellis gxpc ...`: what users of GXP write after gxpc, as a line of our command language. Pure. What has
// no counterpart is refused, never guessed; trellis-migration(7) tells the differences.
#pragma once

#include "trellis/command.hpp"
#include "trellis/result.hpp"

#include <string>
#include <vector>

namespace trellis {

struct GxpCall {
    std::string line;  // empty: a session at the terminal
    bool ends_session = false;
};

// `own_name`: this machine's name, for rules whose SRC means it.
[[nodiscard]] Result<GxpCall> read_gxpc(const std::vector<std::string>& words, const std::string& own_name,
                                        const std::vector<CommandEntry>& commands);

}  // namespace trellis
