// The start of the process that holds a session: detached from the terminal and from everything that the
// program which starts it has open.
#pragma once

#include "trellis/result.hpp"

#include <string>
#include <vector>

namespace trellis {

// Runs this program again with these arguments. Its standard input is the listening socket, its standard
// error goes to the file `log`.
[[nodiscard]] Result<void> start_session_process(const std::vector<std::string>& arguments, int listening,
                                                 const std::string& log);

}  // namespace trellis
