// `bcast --method`: from whom each host takes it, and that mishaps cost the others little whichever it is, in
// the simulated world.
#include "tests/scenario/bcast_simulated.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>

#include <gmock/gmock.h>

namespace trellis {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

constexpr std::size_t large = sim::effort(12'000'000, 7'000'000);

class BcastByMethod : public BcastSimulated, public ::testing::WithParamInterface<const char*> {
  protected:
    BcastByMethod() : BcastSimulated(20) {}
    [[nodiscard]] std::string line(const std::string& rest) const {
        return std::string("bcast --json --order name --method ") + GetParam() + " " + rest;
    }
    void put_source(std::size_t size) {
        content_ = drawn_bytes(size);
        files("ctl").put("/tmp/big", content_);
        for (const std::string& host : hosts_)
            world().network().set_rate(host, 100e6);
    }
    void expect_others_alike(const std::string& but) {
        for (const std::string& host : hosts_) {
            if (host == but) continue;
            EXPECT_TRUE(files(host).holds("/tmp/big", content_)) << host;
        }
    }
};

TEST_P(BcastByMethod, GivesEveryHostTheExactBytes) {
    put_source(5'000'001);
    EXPECT_EQ(run(line("/tmp/big /tmp")), 0) << said_;
    expect_everywhere_alike();
}

TEST_P(BcastByMethod, TakesWhatLiesOnAHost) {
    put_source(3'000'001);
    files("h7").put("/tmp/big", content_);
    EXPECT_EQ(run(line("h7:/tmp/big /tmp")), 0) << said_;
    expect_everywhere_alike();
}

// Nodes 12 and 8 of the tree give to others; the first one takes it from the shell.
TEST_P(BcastByMethod, AHostThatDiesIsNoneOfTheOthersBusiness) {
    constexpr std::array victims{"h7", "h0", "h11"};
    for (const char* victim : std::span(victims).first(sim::effort(victims.size(), 1))) {
        put_source(large);
        after(milliseconds(400), [victim](sim::SimWorld& there) { there.kill(victim); });
        EXPECT_EQ(run(line("/tmp/big /tmp/big")), 1);
        EXPECT_THAT(said_, HasSubstr(std::string("bcast: ") + victim + ": "));
        expect_others_alike(victim);
        std::erase(hosts_, victim);
        for (const std::string& host : hosts_)
            EXPECT_TRUE(files(host).remove("/tmp/big"));
    }
}

TEST_P(BcastByMethod, AHostThatStandsStillGetsItAfterwards) {
    put_source(large);
    after(milliseconds(400), [](sim::SimWorld& there) { there.stop("h7"); });
    after(milliseconds(9000), [](sim::SimWorld& there) { there.resume("h7"); });
    EXPECT_EQ(run(line("/tmp/big /tmp/big")), 0) << said_;
    EXPECT_LT(seconds_of_others("h7"), 9.0);
    expect_everywhere_alike();
}

TEST_P(BcastByMethod, ASlowHostGetsItToo) {
    put_source(large);
    world().network().set_rate("h7", 25e6);
    EXPECT_EQ(run(line("/tmp/big /tmp/big")), 0) << said_;
    expect_everywhere_alike();
}

// Half of the hosts are gone and named to it in vain, one after the other.
TEST_P(BcastByMethod, AHostThatFindsNobodyForAWhileGetsItFromTheShell) {
    put_source(large);
    std::erase_if(hosts_, [](const std::string& host) { return host.size() == 3; });
    after(milliseconds(400), [](sim::SimWorld& there) { there.stop("h4"); });
    after(milliseconds(500), [](sim::SimWorld& there) {
        for (int i = 10; i < 20; ++i)
            there.cut("h" + std::to_string(i), sim::Cut::silent);
    });
    after(milliseconds(1200), [](sim::SimWorld& there) { there.cut("h4", sim::Cut::silent); });
    after(milliseconds(1700), [](sim::SimWorld& there) { there.resume("h4"); });
    after(milliseconds(3000), [](sim::SimWorld& there) { there.heal("h4"); });
    EXPECT_EQ(run(line("/tmp/big /tmp/big")), 1);
    expect_everywhere_alike();
}

INSTANTIATE_TEST_SUITE_P(Methods, BcastByMethod, ::testing::Values("chain", "tree", "flat"),
                         [](const auto& method) { return std::string(method.param); });

// The second host cannot know whose fault it is; the shell can. h16 and h17, which it reaches through h0 in
// the control tree, have to be adopted before they can say that they have it.
TEST_F(BcastSimulated, TheFirstHostOfTheChainThatIsCutOffCostsTheOthersOneSecond) {
    prepare(40'000'000);
    after(milliseconds(1000), [](sim::SimWorld& there) { there.cut("h0", sim::Cut::silent); });
    EXPECT_EQ(run("bcast --json --order name /tmp/big /tmp/big"), 1);
    for (std::size_t i = 1; i < std::min<std::size_t>(hosts_.size(), 16); ++i)
        EXPECT_LT(seconds_of(hosts_[i]), undisturbed_ + 1.1) << i;
    EXPECT_THAT(said_, HasSubstr(have_it_but(1)));
}

TEST_F(BcastSimulated, OnlyAChainPassesStandardInputOn) {
    EXPECT_EQ(run("bcast --method flat - /tmp/x"), 2);
    EXPECT_THAT(said_, HasSubstr("--method flat: standard input"));
    EXPECT_EQ(run("bcast --method ring /tmp/x /tmp"), 2);
    EXPECT_THAT(said_, HasSubstr("--method ring: expected chain, tree or flat"));
}

}  // namespace
}  // namespace trellis
