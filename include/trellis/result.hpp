// Result<T>: a value, or the Failure that says which operation failed, on which host, and why.
// Expected errors travel as Failures; exceptions are left to bugs and to cancellation.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include <boost/assert/source_location.hpp>
#include <boost/system/result.hpp>

namespace trellis {

// What a failure means for the one who asked; the words are in Failure::cause.
enum class FailureKind : std::uint8_t {
    invalid,       // what was asked for cannot be understood
    unreachable,   // no connection: unknown name, refused, no route
    timed_out,     // no answer in the time that was given
    refused,       // the other side answers and says no: host key, authentication, permission
    cannot_start,  // logged in, but the agent or the process does not start there
    lost,          // was there and is gone
    cancelled,     // ended on request
    unavailable    // something that is needed first is missing or out of date
};

struct Failure {
    FailureKind kind = FailureKind::invalid;
    std::string operation;  // "log in", "run infer"
    std::string host;       // name as the user wrote it; empty where no host is meant
    std::string cause;      // "host key changed (known_hosts line 12)"

    // One line: "a03: log in: connection refused".
    [[nodiscard]] std::string message() const {
        std::string text = host.empty() ? "" : host + ": ";
        text += operation.empty() ? cause : operation + ": " + cause;
        return text;
    }
    friend bool operator==(const Failure&, const Failure&) = default;
};

// What the user or a file got wrong, and what cannot be had now; where no operation or host has to be named.
inline Failure invalid(std::string cause) {
    return Failure{FailureKind::invalid, "", "", std::move(cause)};
}
inline Failure unavailable(std::string cause) {
    return Failure{FailureKind::unavailable, "", "", std::move(cause)};
}

// Called by Result<T>::value() on a failure: to ask for a value that is not there is a bug.
[[noreturn]] inline void throw_exception_from_error(const Failure& failure, const boost::source_location&) {
    throw std::logic_error(failure.message());
}

template <class T>
using Result = boost::system::result<T, Failure>;

}  // namespace trellis
