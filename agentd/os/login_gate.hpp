// LoginGate: how many logins are under way to one sshd at a time. A default sshd (MaxStartups 10:30:100)
// drops some of more than ten. Owned by the Spawner; keys are any text that names an sshd.
#pragma once

#include "trellis/task.hpp"

#include "agentd/os/wakeup.hpp"

#include <map>
#include <memory>
#include <string>

namespace trellis {

inline constexpr int max_logins_to_one_sshd = 8;

class LoginGate {
    struct Place;

  public:
    explicit LoginGate(const Executor& executor) : executor_(executor) {}

    // Held during a login; letting go of it admits the next one.
    class Permit {
      public:
        Permit() = default;
        explicit Permit(std::shared_ptr<Place> place) : place_(std::move(place)) {}
        Permit(Permit&& other) noexcept = default;
        Permit& operator=(Permit&& other) noexcept;
        ~Permit() { release(); }
        void release();

      private:
        std::shared_ptr<Place> place_;
    };

    Task<Permit> enter(std::string sshd);

  private:
    struct Place {
        explicit Place(const Executor& executor) : freed(executor) {}
        int inside = 0;
        Wakeup freed;
    };

    Executor executor_;
    std::map<std::string, std::weak_ptr<Place>> places_;
};

}  // namespace trellis
