// Outcomes in words, for people and for JSON. Pure.
#pragma once

#include "trellis/outcome.hpp"

#include <map>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace trellis {

// "exit 3", "signal 9 (Killed)", "lost: the link has closed".
[[nodiscard]] std::string outcome_text(const Outcome& outcome);

// {"host": NAME, "outcome": "succeeded" | "exited" | "signalled" | the kind of failure, "code": N,
//  "detail": WORDS}; code and detail only where they mean something.
[[nodiscard]] nlohmann::json outcome_json(const std::string& host, const Outcome& outcome);

// One line for each different outcome but success, with the hosts folded: "a[03-05]: exit 3". Causes that
// differ in the host's own name or in addresses alone are one: "a[03-05]: unreachable: no answer from HOST
// port 22".
[[nodiscard]] std::vector<std::string> failure_lines(const std::map<std::string, Outcome>& outcomes);

// What is said of a host while it is waited for and falls silent, or speaks again.
[[nodiscard]] std::string suspicion_line(const std::string& host, bool silent);

// 0 if all of at least one succeeded, else 1.
[[nodiscard]] int exit_status_of(const std::map<std::string, Outcome>& outcomes);

}  // namespace trellis
