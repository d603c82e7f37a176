// The one exception of the laboratory: something that the machine refused while hosts or devices were set up
// or asked for. Its text names what failed and why. Thrown anywhere below main(), which prints it and ends.
#pragma once

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>

namespace trellis::lab {

class LabError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// "what: the system's words for errno".
[[noreturn]] inline void fail_errno(const std::string& what) {
    throw LabError(what + ": " + std::strerror(errno));
}

// Passes a system call's answer on; a negative one becomes an error.
template <typename Answer>
Answer checked(Answer answer, const std::string& what) {
    if (answer < 0) fail_errno(what);
    return answer;
}

}  // namespace trellis::lab
