// LinkPace: has the system send what is written to a TCP connection evenly, a little below the rate of the
// slowest link on the way: then no queue grows before that link, in which others' packets wait and are lost.
// Owned by the stream; nothing where it is another kind of socket, or the system cannot (Linux before 4.13).
#pragma once

#include "agentd/os/self_pace.hpp"

#include <optional>

namespace trellis {

class LinkPace {
  public:
    // `bits_per_second`: the rate of the link itself, of whole Ethernet frames; 0: as it shows.
    void keep_below(int socket, double bits_per_second);
    // To be called before something is written.
    void look(int socket);

  private:
    static constexpr SelfPace::Clock::duration interval = std::chrono::milliseconds(50);

    std::optional<SelfPace> own_;
    SelfPace::Time looked_{};
};

}  // namespace trellis
