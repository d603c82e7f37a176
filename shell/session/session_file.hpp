// The session as a file: bus values, login rules, masks, directories and variables, in one JSON object.
// Reading is strict: what is not understood is refused with the place where it stands, and nothing is changed
// then. Masks list the hosts that they leave out.
//
//   {"format": "trellis-session", "version": 1, "time": 1700000000,
//    "use": ["use ssh here gw"],
//    "masks": {"current": ["a03"], "saved": {"rack1": ["a00"]}, "stack": [["a01"]]},
//    "places": [{"hosts": ["a00"], "directory": "/tmp", "previous": "", "environment": {"A": "1"}}],
//    "values": [{"name": "topology", "type": "topology", "hosts": ["a00"], "view": 3, "time": 1700000000,
//                "value": ...}]}
#pragma once

#include "trellis/result.hpp"

#include "shell/session/session.hpp"

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

// One value of the bus, as it stands in that file, and back.
[[nodiscard]] std::string retained_text(const Retained& retained);
[[nodiscard]] Result<Retained> read_retained(const Session& session, std::string_view text);
// A login rule from the command that makes it: "use ssh here gw".
[[nodiscard]] Result<UseRule> read_use_rule(const std::string& text);

// Replaces the file by a new one in one step, so that a crash leaves the old one or the new one whole.
[[nodiscard]] Result<void> write_file_atomically(const std::string& path, std::string_view text);

// The whole text of a file of at most `most` bytes.
[[nodiscard]] Result<std::string> read_whole_file(const std::string& path,
                                                  std::size_t most = std::size_t{256} << 20);

}  // namespace trellis
