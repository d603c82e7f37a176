// Mishaps: what goes wrong in a simulated world, drawn from a seed: agents killed or stopped, connections
// broken, links cut or slow, machines without power, logins refused. Values; schedule() makes them happen and
// end in a world that must live until then. They never touch the machine of the shell.
#pragma once

#include "tests/sim/sim_world.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace trellis::sim {

struct Mishap {
    enum class Kind : std::uint8_t {
        kill_agent,
        stop_agent,
        break_connection,
        cut_silently,
        cut_visibly,
        slow_link,
        refuse_logins,
        power_off
    };
    Kind kind{};
    std::string what;    // a host, or a link that is named for the host or switch below it
    Duration at{0};      // after the beginning
    Duration lasts{0};   // 0: for good
    double strength{0};  // from 0 to 1, of what can be worse or better
};

struct MishapPlan {
    std::vector<std::string> hosts;
    std::vector<std::string> relays;  // some of them; they are hit as often as all together
    std::vector<std::string> trunks;  // links to several hosts
    std::size_t most = 12;
    Duration within = std::chrono::seconds(10);   // all begin in this time
    Duration longest = std::chrono::seconds(40);  // and last at most so long
};

[[nodiscard]] std::vector<Mishap> draw_mishaps(std::uint64_t seed, const MishapPlan& plan);
[[nodiscard]] std::string describe(const std::vector<Mishap>& mishaps);
void schedule(SimWorld& world, const std::vector<Mishap>& mishaps);

}  // namespace trellis::sim
