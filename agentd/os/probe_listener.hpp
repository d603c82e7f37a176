// ProbeListener: answers the probes of one operation's participants, on the probe loop. A connection has one
// second to prove who it is, ten to be introduced; nothing is sent to one that is not, nor to one before the
// reception welcomes it. Owned by a session; destroying it closes every connection.
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
    // The keys have got more participants: who has waited for that may prove who it is.
    void introduced();

  private:
    class Door;
    class Guest;
    void admit(FileDescriptor socket);
    using Guests = std::list<std::unique_ptr<Guest>>;  // oldest first
    void move(Guest& guest, Guests& to);
    void remove(Guest& guest);

    static constexpr std::size_t most_guests = 1024;  // proven, and unknown
    ProbeLoop& loop_;
    HelloGate gate_;
    ProbeReception reception_;
    std::function<void(std::string)> on_stranger_;
    Guests unproven_;
    Guests unknown_;  // have said who they are, and wait to be introduced
    Guests proven_;
    std::vector<std::unique_ptr<Door>> doors_;
};

}  // namespace trellis
