// ProbeListener: answers the probes of one operation's participants, on the probe loop. A connection has one
// second to prove who it is; nothing is sent to one that does not, nor to one before the reception welcomes
// it. Owned by a session; destroying it closes every connection.
#pragma once

#include "agentd/core/pair_hello.hpp"
#include "agentd/core/probe_reception.hpp"
#include "agentd/os/listening_sockets.hpp"
#include "agentd/os/probe_loop.hpp"

#include <functional>
#include <list>
#include <memory>
#include <string>
#include <vector>

namespace trellis {

class ProbeListener {
  public:
    // `keys` and `loop` outlive it. `on_stranger` is called on the loop's thread for each one.
    ProbeListener(ProbeLoop& loop, PairKeys& keys, std::vector<FileDescriptor> sockets,
                  std::function<void(std::string)> on_stranger);
    ~ProbeListener();

    [[nodiscard]] ProbeReception& reception() { return reception_; }

  private:
    class Door;
    class Guest;
    void admit(FileDescriptor socket);
    void proved(Guest& guest);
    void remove(Guest& guest);

    static constexpr std::size_t max_proven = 1024;
    ProbeLoop& loop_;
    HelloGate gate_;
    ProbeReception reception_;
    std::function<void(std::string)> on_stranger_;
    std::list<std::unique_ptr<Guest>> unproven_;  // oldest first
    std::list<std::unique_ptr<Guest>> proven_;
    std::vector<std::unique_ptr<Door>> doors_;
};

}  // namespace trellis
