// The script front end: runs lines from a file, an argument or standard input, without a prompt. A command
// that fails does not end the script, unless that is asked for; a line that is not understood does.
#pragma once

#include "trellis/task.hpp"

#include "shell/hosts/host_news.hpp"
#include "shell/running/interpreter.hpp"
#include "shell/running/line_source.hpp"

#include <string>

namespace trellis {

struct ScriptSettings {
    std::string name;            // before line numbers in messages: "batch.trl"; empty: there are none
    bool stop_on_error = false;  // at the first command that fails, unless the script says set +e
};

// The exit status: that of the last command that failed, 0 if none did; what `quit` says; 2 for a line that
// is not understood; 130 after Ctrl-C; 141 when nobody reads standard output any more.
Task<int> run_script(Interpreter& interpreter, LineSource& lines, Console& console, Seat& seat,
                     HostNews& news, ScriptSettings settings);

}  // namespace trellis
