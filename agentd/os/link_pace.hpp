// LinkPace: has the system send what is written to a TCP connection evenly, a little below the rate of the
// slowest link on the way: then no queue grows before that link, in which others' packets wait and are lost.
// Where that rate is known, never less, and more if the link turns out to carry more.
// Owned by the stream; nothing where it is another kind of socket, or the system cannot (Linux before 4.13).
#pragma once

#include "agentd/os/rising_pace.hpp"
#include "agentd/os/self_pace.hpp"

#include <chrono>
#include <variant>

namespace trellis {

class LinkPace {
  public:
    // `bits_per_second`: the rate of the link itself, of whole Ethernet frames; 0: as it shows.
    void keep_below(int socket, double bits_per_second);
    // To be called before something is written.
    void look(int socket);

  private:
    static constexpr std::chrono::milliseconds interval{50};

    std::variant<std::monostate, SelfPace, RisingPace> pace_;
    ConnectionSigns::Time looked_{};
};

}  // namespace trellis
