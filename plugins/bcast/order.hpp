// Order: the selected hosts in the order in which they pass the object on, as --order says. For one command;
// it tells the user what it had to do without.
#pragma once

#include "trellis/command.hpp"

#include <string>
#include <vector>

namespace trellis::plugins::bcast {

// `order`: tree, name, random, ranks (those that rankmap has placed), or a file. `source`: the host that has
// the object, which comes first; empty: none of them. Failure: no ranks are placed, or the file cannot be
// read or lacks a host.
[[nodiscard]] Result<std::vector<Host>> ordered_hosts(CommandContext& context, const std::string& order,
                                                      const std::string& source);

}  // namespace trellis::plugins::bcast
