// Outcome: how one operation ended on one host. Every operation over hosts returns one per host.
#pragma once

#include "trellis/result.hpp"

#include <cstdint>
#include <string>

namespace trellis {

struct Outcome {
    enum class State : std::uint8_t {
        succeeded,
        exited,     // ended by itself with a status other than 0: `code` is the status
        signalled,  // ended by a signal: `code` is its number
        failed      // did not run to its end: see `kind` and `detail`
    };
    State state = State::succeeded;
    int code = 0;
    FailureKind kind = FailureKind::invalid;  // only with State::failed
    std::string detail;                       // words for the user; empty on success

    [[nodiscard]] bool ok() const { return state == State::succeeded; }
    static Outcome success() { return {}; }
    static Outcome of(const Failure& failure) { return {State::failed, 0, failure.kind, failure.cause}; }
    friend bool operator==(const Outcome&, const Outcome&) = default;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(state, code, kind, detail);
    }
};

}  // namespace trellis
