#include "agentd/os/login_gate.hpp"

#include <utility>

namespace trellis {

LoginGate::Permit& LoginGate::Permit::operator=(Permit&& other) noexcept {
    if (this == &other) return *this;
    release();
    place_ = std::move(other.place_);
    return *this;
}

void LoginGate::Permit::release() {
    if (!place_) return;
    --place_->inside;
    place_->freed.notify();
    place_.reset();
}

Task<LoginGate::Permit> LoginGate::enter(std::string sshd) {
    std::shared_ptr<Place> place = places_[sshd].lock();
    if (!place) {
        place = std::make_shared<Place>(executor_);
        places_[sshd] = place;
    }
    while (place->inside >= max_logins_to_one_sshd)
        co_await place->freed.wait();
    ++place->inside;
    co_return Permit(std::move(place));
}

}  // namespace trellis
