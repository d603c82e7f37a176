// `trellis session list` and `trellis session end`: questions to sessions that stay up, asked without a front
// end.
#pragma once

#include "trellis/link.hpp"
#include "trellis/task.hpp"
#include "trellis/time.hpp"

#include "shell/standing/session_place.hpp"
#include "shell/terminal/console.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace trellis {

// Over a connected descriptor, which the link then owns.
using SessionLinks = std::function<std::unique_ptr<Link>(int descriptor)>;

// The exit status. `words`: what follows "session" on the command line; `named`: the session that options or
// the environment name, or empty.
Task<int> run_session_words(const std::vector<std::string>& words, const std::string& named,
                            const SessionPlace& place, const SessionLinks& links, Console& console);

// The next frame, or a Failure if none comes in that time: then the link is closed.
Task<Result<Frame>> receive_within(Link& link, Duration time);

}  // namespace trellis
