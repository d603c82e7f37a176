// The terminal front end: prompt, lines, news of hosts, until the user quits.
#pragma once

#include "trellis/task.hpp"

#include "shell/hosts/host_news.hpp"
#include "shell/running/interpreter.hpp"
#include "shell/terminal/terminal.hpp"

namespace trellis {

// Returns the exit status: what `quit` says, else 0.
Task<int> run_interactive(Interpreter& interpreter, Terminal& terminal, Console& console, Session& session,
                          Seat& seat, HostNews& news);

// "trellis[32/32/32]> ": hosts on which the last command succeeded, selected, all.
[[nodiscard]] std::string prompt_text(const Seat::Counts& counts);

}  // namespace trellis
