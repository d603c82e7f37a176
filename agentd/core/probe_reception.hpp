// ProbeReception: which of the peers that come to measure this host are welcomed, and when the measurement of
// one is over. A peer keeps all connections of a measurement open until its end, so that it is over when the
// last one closes, whatever became of the peer's program. Owned by whoever listens for one operation; no I/O,
// no clock; it sees only guests that have proved who they are.
#pragma once

#include "trellis/host.hpp"

#include <functional>
#include <map>
#include <vector>

namespace trellis {

class ProbeReception {
  public:
    // One connection.
    class Guest {
      public:
        [[nodiscard]] virtual HostId peer() const = 0;
        virtual void welcome() = 0;  // called once, now or later
        virtual void dismiss() = 0;  // to be closed; left() may follow at once

      protected:
        ~Guest() = default;
    };

    void arrived(Guest& guest);
    void left(Guest& guest);

    void hold(bool on);
    // `over` is called once, when the peer's last connection has closed.
    void serve(HostId peer, std::function<void()> over);
    // Not served any more; what is open of it is dismissed. Nothing if its measurement is over.
    void withdraw(HostId peer);

  private:
    struct Presence {
        Guest* guest = nullptr;
        bool welcomed = false;
    };
    void welcome_waiting(const std::function<bool(HostId)>& admitted);
    [[nodiscard]] bool present(HostId peer) const;

    bool holding_ = false;
    std::vector<Presence> guests_;
    std::map<HostId, std::function<void()>> served_;
};

}  // namespace trellis
