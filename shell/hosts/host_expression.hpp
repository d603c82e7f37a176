// Sets of hosts as users write them. Pure.
//
//   expression = [ operator ] term { [ operator ] term }
//   operator   = "+" union  |  "-" difference  |  "&" intersection  |  "^" symmetric difference
//   term       = "@" name of a group  |  host range, wildcards or /regular expression/ (see HostPattern)
//
// Evaluated from left to right; between two terms without an operator stands a union. An operator before the
// first term applies to what is selected.
#pragma once

#include "trellis/result.hpp"

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace trellis {

using HostNames = std::set<std::string>;
// The hosts of a group, by its name without the @.
using HostGroups = std::function<Result<HostNames>(const std::string& name)>;

// Of the `known` hosts those that the words mean, one operator or term a word. Refused: an operator without a
// term, a name that was spelt out and is not known, what HostPattern or the groups refuse.
[[nodiscard]] Result<HostNames> evaluate_hosts(const std::vector<std::string>& words, const HostNames& known,
                                               const HostNames& selected, const HostGroups& groups);

}  // namespace trellis
