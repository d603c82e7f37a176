// The laboratory's control socket: a request is one line of words, its answer one text and perhaps one
// descriptor. Both ends live here. It knows nothing of what the requests mean.
#pragma once

#include "tests/lab/unique_fd.hpp"

#include <functional>
#include <string>

namespace trellis::lab {

struct Answer {
    bool good = true;
    std::string text;   // for people, without a line end unless it has several lines; or the error
    UniqueFd passed{};  // on the asking side
    int pass = -1;      // on the answering side: a descriptor to send along, which stays with its owner
};

// Listens at a path. Throws LabError.
UniqueFd listen_at(const std::string& path);

// Takes one connection, reads its request and answers it.
void serve_one(int listener, const std::function<Answer(const std::string&)>& handle);

// Sends a request to the laboratory that listens at the path. Throws LabError if nobody answers.
Answer ask(const std::string& path, const std::string& request);

}  // namespace trellis::lab
