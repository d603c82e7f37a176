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
[[nodiscard]] Task<Result<std::vector<Host>>> ordered_hosts(CommandContext& context,
                                                            std::vector<Host> selected, std::string order,
                                                            std::string source);

// Of the ways from each host to the next one, as far as bwtree has measured them: bits a second; 0: not at
// all.
[[nodiscard]] double slowest_link(CommandContext& context, const std::vector<Host>& chain);

}  // namespace trellis::plugins::bcast
