// SendPace: how far a channel may be ahead of the command that reads it. sshd grows one buffer by every
// packet that waits for the command, and copies it each time: a megabyte that waits costs some dozens in
// copies, more than its decryption. So no more is sent ahead than sshd needs to keep the command busy: it
// announces room after 96 KiB. A server that announces none for a second gets more, since some do so only
// after half of their window.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>

namespace trellis {

class SendPace {
  public:
    using Time = std::chrono::steady_clock::time_point;
    static constexpr std::chrono::seconds patience{1};
    static constexpr std::size_t first_lead = std::size_t{192} << 10;

    // Bytes that may be sent now. `window`: those that the server has room for, as it has announced.
    std::size_t room(std::size_t window, Time now) {
        full_window_ = std::max(full_window_, window);
        const std::size_t ahead = full_window_ - window;
        if (held_since_ && now - *held_since_ >= patience) {
            lead_ *= 2;
            held_since_.reset();
        }
        if (ahead < lead_) {
            held_since_.reset();
            return std::min(lead_ - ahead, window);
        }
        if (!held_since_) held_since_ = now;
        return 0;
    }

  private:
    std::size_t lead_ = first_lead;
    std::size_t full_window_ = 0;
    std::optional<Time> held_since_;
};

}  // namespace trellis
