// `bcast --plain` in the simulated world: what comes goes to its file before it is checked, and from there to
// the next host.
#include "tests/scenario/bcast_chaos.hpp"
#include "tests/scenario/bcast_simulated.hpp"
#include "tests/sim/effort.hpp"

#include <cstdio>
#include <fstream>
#include <string>

#include <gmock/gmock.h>

namespace trellis {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::Not;

class BcastPlain : public BcastSimulated {
  protected:
    BcastPlain() { plain_ = true; }
};

TEST_F(BcastPlain, GivesEveryHostTheExactBytes) {
    const std::string content = drawn_bytes(12'000'001);
    files("ctl").put("/tmp/big", content);
    EXPECT_EQ(run("bcast --verify /tmp/big /tmp"), 0) << said_;
    expect_everywhere("/tmp/big", content);
    EXPECT_THAT(said_, Not(HasSubstr("over the control tree")));
}

TEST_F(BcastPlain, GivesOverTheControlTreeToWhomTheRootCannotConnect) {
    world().login("h0").answers = [](const std::string& from) { return from != "ctl"; };
    const std::string content = drawn_bytes(5'000'001);
    files("ctl").put("/tmp/big", content);
    EXPECT_EQ(run("bcast --order name /tmp/big /tmp"), 0) << said_;
    expect_everywhere("/tmp/big", content);
    EXPECT_THAT(said_, HasSubstr("over the control tree, for want of a direct connection: h0\n"));
}

// Chunks that lie within one file, and others.
TEST_F(BcastPlain, SendsATreeOfLargeAndSmallFiles) {
    sim::SimFiles& here = files("ctl");
    here.put_directory("/tmp/tree");
    here.put("/tmp/tree/a", drawn_bytes(9'300'000, 2), 0444);
    for (int i = 0; i < 300; ++i)
        here.put("/tmp/tree/b" + std::to_string(i), drawn_bytes(static_cast<std::size_t>(i) * 50, 3));
    here.put("/tmp/tree/c", drawn_bytes(7'000'000, 4), 0755);
    EXPECT_EQ(run("bcast /tmp/tree /tmp"), 0) << said_;
    for (const std::string& host : hosts_) {
        ASSERT_EQ(files(host).paths(), here.paths()) << host;
        for (const std::string& path : here.paths()) {
            EXPECT_EQ(*files(host).link_status(path), *here.link_status(path)) << host << " " << path;
            if (here.link_status(path)->type != FileType::file) continue;
            EXPECT_TRUE(files(host).content(path) == here.content(path)) << host << " " << path;
        }
    }
}

TEST_F(BcastPlain, SendsNoHoles) {
    std::string content = drawn_bytes(6'000'000);
    content.resize(64'000'000);
    content += drawn_bytes(70'000);
    content += std::string(200'000, '\0');
    files("ctl").put("/tmp/sparse", content);
    for (const std::string& host : hosts_)
        world().network().set_rate(host, 100e6);
    EXPECT_EQ(run("bcast /tmp/sparse /tmp"), 0) << said_;
    EXPECT_LT(took_, milliseconds(1100));
    expect_everywhere("/tmp/sparse", content);
}

TEST_F(BcastPlain, KeepsTheZerosOfAFileWhoseSizeIsNotKnown) {
    const std::string content = drawn_bytes(5'000'000) + std::string(3'000'000, '\0');
    const std::string path = ::testing::TempDir() + "bcast_plain_test.input";
    std::ofstream(path, std::ios::binary) << content;
    EXPECT_EQ(run("bcast - /tmp/from_input < " + path), 0) << said_;
    std::remove(path.c_str());
    expect_everywhere("/tmp/from_input", content);
}

TEST_F(BcastPlain, SendsContentsCompressed) {
    std::string content;
    for (int i = 0; content.size() < 6'000'000; ++i)
        content += "line " + std::to_string(i * 7919L % 1000) + "\n";
    content += drawn_bytes(4'000'000) + std::string(3'000'000, '\0') + "end";
    files("ctl").put("/tmp/big", content);
    EXPECT_EQ(run("bcast -z --verify /tmp/big /tmp"), 0) << said_;
    expect_everywhere("/tmp/big", content);
}

TEST_F(BcastPlain, GivesItToACommand) {
    files("ctl").put("/tmp/big", drawn_bytes(6'000'000));
    EXPECT_EQ(run("bcast --pipe 'copy 0 1' /tmp/big"), 0) << said_;
}

TEST_F(BcastPlain, GoesOnAfterCtrlC) {
    const std::string content = drawn_bytes(16'000'000);
    files("ctl").put("/tmp/big", content);
    for (const std::string& host : hosts_)
        world().network().set_rate(host, 100e6);
    shell_.press_after(milliseconds(1000));
    EXPECT_EQ(run("bcast --resume --order name /tmp/big /tmp"), 130);
    world().advance(seconds(1));
    EXPECT_EQ(run("bcast --resume --order name /tmp/big /tmp"), 0) << said_;
    EXPECT_THAT(said_, HasSubstr(" was there from an earlier one: " + all_hosts()));
    expect_everywhere("/tmp/big", content);
}

TEST_F(BcastPlain, ADiskThatBecomesFullFailsThatHostAlone) {
    const std::string content = drawn_bytes(9'000'000);
    files("ctl").put("/tmp/big", content);
    files("h4").set_capacity(3'000'000);
    files("h4").claim_free(20'000'000);
    EXPECT_EQ(run("bcast /tmp/big /tmp"), 1);
    EXPECT_THAT(said_, HasSubstr("No space left on device"));
    expect_everywhere("/tmp/big", content, {"h4"});
    EXPECT_TRUE(files("h4").paths().empty());
}

TEST_F(BcastPlain, AHostThatWasSilentTakesItAtTheEnd) {
    prepare(20'000'000);
    after(milliseconds(600), [](sim::SimWorld& there) { there.stop("h7"); });
    after(milliseconds(1800), [](sim::SimWorld& there) { there.resume("h7"); });
    EXPECT_EQ(run("bcast --json --order name /tmp/big /tmp/big"), 0) << said_;
    EXPECT_LT(seconds_of_others("h7"), undisturbed_ + 1);
    expect_everywhere_alike();
}

TEST_F(BcastPlain, ALinkThatIsCutCostsTheOthersASecondAtMost) {
    prepare(20'000'000);
    after(milliseconds(1000), [](sim::SimWorld& there) { there.cut("h7", sim::Cut::silent); });
    EXPECT_EQ(run("bcast --json --order name /tmp/big /tmp/big"), 1);
    EXPECT_LT(seconds_of_others("h7"), undisturbed_ + 1);
    EXPECT_THAT(said_, HasSubstr(have_it_but(1)));
}

TEST(BcastChaosPlain, EveryHostThatIsLeftHasTheExactBytesAndNobodyAPart) {
    for (std::uint64_t seed = 104; seed <= sim::effort(160, 108); seed += 4)
        EXPECT_EQ(BcastChaos(seed).run(), "") << seed;
}

}  // namespace
}  // namespace trellis
