#include "agentd/core/probe_reception.hpp"

#include <algorithm>
#include <utility>

namespace trellis {

void ProbeReception::arrived(Guest& guest) {
    const bool welcomed = !holding_ || served_.contains(guest.peer());
    guests_.push_back({&guest, welcomed});
    if (welcomed) guest.welcome();
}

void ProbeReception::left(Guest& guest) {
    const HostId peer = guest.peer();
    std::erase_if(guests_, [&](const Presence& one) { return one.guest == &guest; });
    const auto served = served_.find(peer);
    if (served == served_.end() || present(peer)) return;
    const std::function<void()> over = std::move(served->second);
    served_.erase(served);
    over();
}

void ProbeReception::hold(bool on) {
    holding_ = on;
    if (!on) welcome_waiting([](HostId) { return true; });
}

void ProbeReception::serve(HostId peer, std::function<void()> over) {
    served_.insert_or_assign(peer, std::move(over));
    welcome_waiting([peer](HostId guest) { return guest == peer; });
}

void ProbeReception::withdraw(HostId peer) {
    if (served_.erase(peer) == 0) return;
    const std::vector<Presence> all = guests_;
    for (const Presence& one : all)
        if (one.guest->peer() == peer) one.guest->dismiss();
}

void ProbeReception::welcome_waiting(const std::function<bool(HostId)>& admitted) {
    for (Presence& one : guests_) {
        if (one.welcomed || !admitted(one.guest->peer())) continue;
        one.welcomed = true;
        one.guest->welcome();
    }
}

bool ProbeReception::present(HostId peer) const {
    return std::ranges::any_of(guests_, [peer](const Presence& one) { return one.guest->peer() == peer; });
}

}  // namespace trellis
