// What several hosts say alike travels up the tree as one.
#include "agentd/core/exec_messages.hpp"
#include "tests/sim/sim_session.hpp"

#include <cstdlib>

#include <gtest/gtest.h>

namespace trellis::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

ExecOptions folded() {
    ExecOptions options;
    options.folded = true;
    return options;
}

// What reaches the root of a command on that many hosts.
std::size_t bytes_of(const std::string& command, std::size_t hosts, const ExecOptions& options = {}) {
    SimWorld world(many_hosts(hosts));
    EXPECT_EQ(reached(explore(world, numbered("h", hosts))), hosts);
    world.advance(std::chrono::seconds(1));  // what the search for hosts leaves to say
    const MachineIndex root = world.machines().network().find_machine("ctl").value();
    const std::size_t before = world.machines().network().received_bytes(root);
    EXPECT_EQ(exec(world, command, options).succeeded(), hosts);
    const std::size_t bytes = world.machines().network().received_bytes(root) - before;
    testing::Test::RecordProperty("bytes_from_" + std::to_string(hosts), std::to_string(bytes));
    return bytes;
}

TEST(Merge, WhatAllHostsSayAlikeCostsTheRootTheSameForAnyNumberOfThem) {
    EXPECT_LT(bytes_of("sleep 0", 2000), 2 * bytes_of("sleep 0", 200));
}

// h7 is late: the others need not wait for it.
TEST(Merge, WhoeverHasEndedIsToldWhileOthersRun) {
    SimWorld world(many_hosts(100));
    EXPECT_EQ(reached(explore(world, numbered("h", 100))), 100u);
    world.stop("h7");
    ExecRun run(world, "hostname");
    world.advance(std::chrono::milliseconds(500));
    EXPECT_GE(run.succeeded(), 80u);
    world.resume("h7");
    run.finish();
    EXPECT_EQ(run.succeeded(), 100u);
}

// Each child of the root, 32 at most, tells it once. TRELLIS_FULL=1: 10,000 hosts, too.
TEST(Merge, EqualOutputsReachTheRootInBytesThatDoNotGrowWithTheHosts) {
    const std::size_t few = bytes_of("yes 4000", 100, folded());
    EXPECT_LT(few, 32U * 4500U);

    const bool full = std::getenv("TRELLIS_FULL") != nullptr;
    for (const std::size_t many : {1000U, full ? 10000U : 2000U})
        EXPECT_LE(bytes_of("yes 4000", many, folded()), few + few / 4) << many;
}

// Those who end apart from the others are told of without their output, which is known.
TEST(Merge, WhoeverIsLateCostsNoSecondCopy) {
    SimWorld world(many_hosts(400));
    EXPECT_EQ(reached(explore(world, numbered("h", 400))), 400u);
    world.advance(seconds(1));
    for (const std::string& late : numbered("h", 40))
        world.stop(late);
    const MachineIndex root = world.machines().network().find_machine("ctl").value();
    const std::size_t before = world.machines().network().received_bytes(root);
    ExecRun run(world, "yes 4000", folded());
    for (const std::string& late : numbered("h", 40)) {
        world.advance(milliseconds(30));
        world.resume(late);
    }
    run.finish();
    EXPECT_EQ(run.succeeded(), 400u);
    for (const auto& [host, report] : run.reports())
        EXPECT_EQ(report.out.size(), 4000U) << host;
    EXPECT_LT(world.machines().network().received_bytes(root) - before, 2 * 32U * 4500U);
}

class Fold : public testing::Test {
  protected:
    void SetUp() override { ASSERT_EQ(reached(explore(world_, numbered("h", 40))), 40u); }
    [[nodiscard]] std::string relay() {
        const Membership& membership = world_.root().membership();
        for (const auto& [id, member] : membership.members())
            if (!membership.children(id).empty()) return member.host.name;
        return "";
    }

    SimWorld world_{many_hosts(40)};
};

TEST_F(Fold, EveryHostKeepsItsOwnOutputAndStatus) {
    const auto run = exec(world_, "hostname; err oops; exit 3", folded());
    for (const auto& [host, report] : run.reports()) {
        EXPECT_EQ(report.out, host + "\n");
        EXPECT_EQ(report.err, "oops\n");
        EXPECT_EQ(report.outcome->code, 3);
    }
}

TEST_F(Fold, WhatIsTooLongComesByTheStreamsOnce) {
    for (const std::size_t size : {most_kept_output, most_kept_output + 2, 10 * most_kept_output}) {
        const std::string yes = "yes " + std::to_string(size);
        const auto run = exec(world_, "err before; " + yes + "; err after; echo end", folded());
        EXPECT_EQ(run.succeeded(), 40u);
        for (const auto& [host, report] : run.reports()) {
            EXPECT_EQ(report.out.size(), size + 4) << host;
            EXPECT_TRUE(report.out.ends_with("y\nend\n")) << host;
            EXPECT_EQ(report.err, "before\nafter\n") << host;
        }
    }
}

TEST_F(Fold, WhatWasPrintedBeforeATimeOutOrAnInterruptIsTold) {
    ExecOptions options = folded();
    options.timeout = seconds(1);
    const auto late = exec(world_, "echo begun; ignore INT TERM; sleep 60", options);
    EXPECT_EQ(late.of("h5").outcome->kind, FailureKind::timed_out);
    EXPECT_EQ(late.of("h5").out, "begun\n");

    ExecRun run(world_, "echo begun; sleep 60", folded());
    world_.advance(seconds(1));
    run.cancel(CancelLevel::kill);
    run.finish();
    EXPECT_EQ(run.of("h5").outcome->kind, FailureKind::cancelled);
    EXPECT_EQ(run.of("h5").out, "begun\n");
}

// Links break around the moment at which the hosts end.
TEST_F(Fold, NothingIsLostOrDoubledWhenALinkIsReplaced) {
    for (const int wait : {900, 1000, 1005, 1015, 1030}) {
        const std::string relayed = relay();
        ExecRun run(world_, "echo begun; yes 50000; sleep 1; echo end", folded());
        ExecRun much(world_, "echo begun; yes 500000; sleep 1; echo end", folded());
        world_.advance(milliseconds(wait));
        world_.break_link(relayed);
        run.finish();
        much.finish();
        EXPECT_EQ(run.succeeded() + much.succeeded(), 80u);
        for (const auto& [host, report] : run.reports()) {
            EXPECT_EQ(report.out.size(), 6U + 50000U + 4U) << host << " after " << wait;
            EXPECT_EQ(much.of(host).out.size(), 6U + 500000U + 4U) << host << " after " << wait;
        }
    }
}

TEST_F(Fold, TheChildrenOfAKilledRelayBringWhatTheyKept) {
    const std::string killed = relay();
    ExecRun run(world_, "echo begun; yes 50000; sleep 3; echo end", folded());
    world_.advance(milliseconds(500));
    world_.kill(killed);
    run.finish();
    EXPECT_EQ(run.succeeded(), 39u);
    for (const auto& [host, report] : run.reports())
        EXPECT_EQ(report.out.size(), host == killed ? 0U : 6U + 50000U + 4U) << host;
}

}  // namespace
}  // namespace trellis::sim
