// Folded output from real agents, as the shell shows and keeps it.
#include "tests/scenario/sim_shell.hpp"

#include <gtest/gtest.h>

namespace trellis {
namespace {

TEST(FoldedShell, ShowsAndKeepsWhatTheHostsKept) {
    SimShell shell(sim::many_hosts(10));
    ASSERT_EQ(shell.explore_all(), 0);
    shell.printed();
    shell.run("e -b 'echo one; err two; exit 3'");
    EXPECT_EQ(shell.printed(), "---- h[0-9] (10): exit 3\none\ntwo\n");
    shell.run("e -b hostname");
    EXPECT_TRUE(shell.printed().starts_with("---- h0\nh0\n---- h1\nh1\n"));
    EXPECT_EQ(shell.run("smask --where 'stdout ~ h[0-3]'").status, 0);
    EXPECT_EQ(shell.seat().counts().selected, 4U);
    shell.run("e -b --json 'echo one'");
    EXPECT_EQ(shell.printed(),
              "{\"hosts\":[\"h0\",\"h1\",\"h2\",\"h3\"],\"outcome\":\"succeeded\",\"stderr\":\"\",\"stdout\":"
              "\"one\\n\"}\n");
}

}  // namespace
}  // namespace trellis
