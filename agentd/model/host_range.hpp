// Host ranges: many host names in few characters, e.g. a[00-15,20] or, in GXP's spelling, a[[00-15;20]].
// Pure functions on text. They know no host, resolve no name, and take nothing between brackets but numbers.
//
//   text  = range { (comma | white space) range }
//   range = one or more of: characters of a name, or a bracket
//   bracket = "[" item { ("," | ";") item } "]"   or the same in "[[" and "]]"
//   item  = number [ "-" number ]
//
// A number with leading zeros keeps its width: a[08-11] is a08 a09 a10 a11. Several brackets multiply, the
// last one running fastest: r[1-2]n[0-1] is r1n0 r1n1 r2n0 r2n1.
#pragma once

#include "trellis/result.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trellis {

inline constexpr std::size_t most_hosts_of_a_range = 100'000;

// The names, in the order written, with repetitions. Refused, with the column (from 1) and what was expected
// there, if the text is malformed or gives more than `most` names; never allocates more than that.
[[nodiscard]] Result<std::vector<std::string>> expand_hosts(std::string_view text,
                                                            std::size_t most = most_hosts_of_a_range);

// The shortest simple spelling of a set of names: repetitions dropped, numbers sorted, brackets where they
// save names. Ranges are separated by commas; expand_hosts() gives back the same set (names themselves hold
// no bracket or comma).
[[nodiscard]] std::string fold_hosts(std::span<const std::string> names);

}  // namespace trellis
