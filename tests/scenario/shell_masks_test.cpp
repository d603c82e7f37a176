// smask and its kin over a cluster that is not there.
#include "agentd/model/topology_value.hpp"
#include "tests/scenario/shell_fixture.hpp"

namespace trellis {
namespace {

using testing::HasSubstr;

class ShellMasks : public ShellFixture {};

TEST_F(ShellMasks, SmaskSelectsByNameExpressionAndOutcome) {
    run("explore a[0-3] b[0-1]");
    const auto selected = [&] {
        run("show selection");
        return out.take();
    };
    run("smask a[1-2]");
    EXPECT_EQ(selected(), "a[1-2]\n");
    run("smask /[02]$/");
    EXPECT_EQ(selected(), "a[0,2],b0\n");
    run("smask + b1; smask - a*");
    EXPECT_EQ(selected(), "b[0-1]\n");
    run("rmask");
    EXPECT_EQ(seat.counts().selected, 6U);
    fail_on({"a1", "b1"});
    run("e x");
    out.take();
    run("smask --failed");
    EXPECT_EQ(selected(), "a1,b1\n");
    run("rmask; smask --failed b[0-1]");
    EXPECT_EQ(selected(), "b1\n");
    run("rmask; smask");
    EXPECT_EQ(selected(), "a[0,2-3],b0\n");
    err.take();
    EXPECT_EQ(run("smask c0").status, 1);
    EXPECT_EQ(err.take(), "smask: no host is called c0\n");
    EXPECT_EQ(run("smask /(/").status, 2);
    EXPECT_EQ(selected(), "a[0,2-3],b0\n");
}

TEST_F(ShellMasks, SmaskSelectsByOutputAndGroup) {
    run("explore a[0-3]");
    const auto selected = [&] {
        run("show selection");
        return out.take();
    };
    fail_on({"a1"});
    run("e hostname");
    out.take();
    run("smask -");
    EXPECT_EQ(selected(), "a1\n");
    run("smask --where 'stdout ~ ^a[02]'");
    EXPECT_EQ(selected(), "a[0,2]\n");
    run("smask @all --where 'status = 3'");
    EXPECT_EQ(selected(), "a1\n");
    run("smask @ok - a0");
    EXPECT_EQ(selected(), "a[2-3]\n");
    err.take();
    EXPECT_EQ(run("smask @none").status, 1);
    EXPECT_THAT(err.take(), HasSubstr("no group or mask is called none"));
    EXPECT_EQ(run("smask @below:s1").status, 1);
    EXPECT_THAT(err.take(), HasSubstr("this needs a topology: run infer"));
    EXPECT_EQ(run("smask --where 'size > 3'").status, 2);
    EXPECT_EQ(selected(), "a[2-3]\n");
}

TEST_F(ShellMasks, SmaskSelectsByPlaceInTheTopology) {
    run("explore a[0-3]");
    const Topology tree{
        {"a0", "a1", "a2", "a3"},
        {"s1", "s2"},
        {{0, 4, Delay{10}}, {1, 4, Delay{20}}, {2, 5, Delay{10}}, {3, 5, Delay{10}}, {4, 5, Delay{100}}}};
    session.bus().publish("topology", std::make_shared<TopologyValue>(tree), tree.hosts);
    run("smask @below:s2; show selection");
    EXPECT_EQ(out.take(), "a[2-3]\n");
    run("smask @within:a0:60us; show selection");
    EXPECT_EQ(out.take(), "a[0-1]\n");
    err.take();
    EXPECT_EQ(run("smask @within:a0").status, 2);
    EXPECT_THAT(err.take(), HasSubstr("@within:HOST:DURATION"));
    EXPECT_EQ(run("smask @below:s7").status, 1);
}

TEST_F(ShellMasks, MasksAreKeptAndTakenBack) {
    run("explore a[0-3]; smask a[0-1]; savemask left; pushmask; smask a2");
    run("showmasks");
    EXPECT_EQ(out.take(), "selected: 1 of 4: a2\n@left: 2 of 4: a[0-1]\npushed: 2 of 4: a[0-1]\n");
    run("smask @left + a3; show selection");
    EXPECT_EQ(out.take(), "a[0-1,3]\n");
    run("undo; show selection; popmask; show selection; rmask; restoremask left; show selection");
    EXPECT_EQ(out.take(), "a2\na[0-1]\na[0-1]\n");
    run("showmasks --json");
    EXPECT_EQ(out.take(), R"({"saved":{"left":["a0","a1"]},"selected":["a0","a1"],"stack":[]})"
                          "\n");
    err.take();
    EXPECT_EQ(run("popmask").status, 1);
    EXPECT_EQ(run("restoremask right").status, 1);
    EXPECT_THAT(err.take(), HasSubstr("no mask is called right"));
}

}  // namespace
}  // namespace trellis
