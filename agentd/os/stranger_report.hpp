// How a listener of the data plane tells its owner, once, that somebody connected who is no
// participant, and the bounds for connections that have not yet proved who they are.
#pragma once

#include "trellis/frame.hpp"
#include "trellis/task.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>

#include <boost/asio/post.hpp>

namespace trellis {

// Called on the agent's executor with words for the user. An operation may have more than one listener.
using StrangerReport = std::function<void(OperationId, std::string)>;

inline constexpr std::chrono::seconds proof_time{1};
inline constexpr std::size_t max_unproven = 128;  // at one time and listener; the oldest gives way

// Takes the address of each stranger, from one thread at a time; posts a report about the first to
// `executor`.
inline std::function<void(std::string)> first_stranger(Executor executor, OperationId operation,
                                                       StrangerReport report) {
    return [executor = std::move(executor), operation,
            report = std::move(report)](const std::string& address) mutable {
        if (!report) return;
        const StrangerReport once = std::exchange(report, nullptr);
        std::string text =
            "closed a connection from " + address + ", which did not prove to be a participant";
        asio::post(executor, [once, operation, text = std::move(text)] { once(operation, text); });
    };
}

}  // namespace trellis
