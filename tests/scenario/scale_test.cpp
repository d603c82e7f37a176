// Ten thousand hosts in one process: that it is possible, not how fast.
#include "tests/sim/effort.hpp"
#include "tests/sim/sim_session.hpp"

#include <gtest/gtest.h>

namespace trellis::sim {
namespace {

constexpr std::size_t hosts = effort(10000, 2000);

TEST(Scale, ThousandsOfHosts) {
    SimWorld world(many_hosts(hosts));
    EXPECT_EQ(reached(explore(world, numbered("h", hosts))), hosts);
    const auto run = exec(world, "hostname");
    EXPECT_EQ(run.succeeded(), hosts);
    world.run(world.root().leave(std::chrono::seconds(5)));
    world.advance(std::chrono::seconds(1));
    EXPECT_EQ(world.agents_running(), 0u);
}

}  // namespace
}  // namespace trellis::sim
