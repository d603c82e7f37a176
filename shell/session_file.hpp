// The session as a file: bus values, login rules, directory and variables, in one JSON object. Reading is
// strict: what is not understood is refused with the place where it stands, and nothing is changed then.
//
//   {"format": "trellis-session", "version": 1, "time": 1700000000, "directory": "", "environment": {},
//    "use": ["use ssh here gw"],
//    "values": [{"name": "topology", "type": "topology", "hosts": ["a00"], "view": 3, "time": 1700000000,
//                "value": ...}]}
#pragma once

#include "trellis/result.hpp"

#include "shell/session.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace trellis {

// The topics of those names (all, if none are given) and the settings, as text. Unavailable if there is no
// such topic.
[[nodiscard]] Result<std::string> session_text(Session& session, const Seat& seat,
                                               const std::vector<std::string>& topics);

// Takes over what the text holds; the value `hosts` becomes names that `explore` can reach. Returns the names
// of the values.
[[nodiscard]] Result<std::vector<std::string>> restore_session(Session& session, Seat& seat,
                                                               std::string_view text);

// Replaces the file by a new one in one step, so that a crash leaves the old one or the new one whole.
[[nodiscard]] Result<void> write_file_atomically(const std::string& path, std::string_view text);

// The whole text of a file of at most `most` bytes.
[[nodiscard]] Result<std::string> read_whole_file(const std::string& path,
                                                  std::size_t most = std::size_t{256} << 20);

}  // namespace trellis
