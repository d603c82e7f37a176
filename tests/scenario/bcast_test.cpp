// `bcast` from the shell's command line to the files on the hosts, in the simulated world.
#include "agentd/model/host_range.hpp"
#include "tests/scenario/bcast_chaos.hpp"
#include "tests/scenario/bcast_simulated.hpp"
#include "tests/scenario/cut_through.hpp"
#include "tests/sim/effort.hpp"

#include <array>
#include <span>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace trellis {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(BcastSimulated, GivesEveryHostTheExactBytes) {
    const std::string content = drawn_bytes(3'000'001);
    files("ctl").put("/tmp/big", content, 0751);
    EXPECT_EQ(run("bcast /tmp/big /tmp"), 0) << said_;
    expect_everywhere("/tmp/big", content);
    EXPECT_THAT(said_, HasSubstr(have_it_but(0) + ": 3 MB"));
    EXPECT_THAT(said_, HasSubstr("no topology is known"));
    EXPECT_THAT(said_, Not(HasSubstr("over the control tree")));
    for (const std::string& host : hosts_) {
        EXPECT_EQ(files(host).status("/tmp/big")->mode, 0751u);
        EXPECT_EQ(files(host).status("/tmp/big")->modified, files("ctl").status("/tmp/big")->modified);
    }
}

TEST_F(BcastSimulated, GivesOverTheControlTreeToWhomTheRootCannotConnect) {
    world().login("h0").answers = [](const std::string& from) { return from != "ctl"; };
    const std::string content = drawn_bytes(3'000'001);
    files("ctl").put("/tmp/big", content);
    EXPECT_EQ(run("bcast --order name /tmp/big /tmp"), 0) << said_;
    expect_everywhere("/tmp/big", content);
    EXPECT_THAT(said_, HasSubstr("over the control tree, for want of a direct connection: h0\n"));
}

// Every host passes on what it gets while it gets it.
TEST(BcastCutThrough, TakesTheTimeOfOneTransferAndAHopForEachHost) {
    const CutThrough trial = cut_through(64, 8'000'000);
    EXPECT_EQ(trial.have, 64u);
    EXPECT_GT(trial.taken, trial.ideal * 0.99);
    EXPECT_LT(trial.taken, trial.ideal * 1.03);
}

TEST_F(BcastSimulated, SendsAnEmptyFile) {
    files("ctl").put("/tmp/empty", "");
    EXPECT_EQ(run("bcast /tmp/empty /tmp/other"), 0) << said_;
    expect_everywhere("/tmp/other", "");
}

TEST_F(BcastSimulated, AHostThatDiesCostsTheOthersNothing) {
    const std::string content = drawn_bytes(16'000'000);
    const Duration undisturbed = time_undisturbed(content);
    after(milliseconds(600), [](sim::SimWorld& there) { there.kill("h7"); });
    EXPECT_EQ(run("bcast --order name /tmp/big /tmp/big"), 1);
    EXPECT_THAT(said_, HasSubstr("bcast: h7: "));
    EXPECT_THAT(said_, HasSubstr(have_it_but(1)));
    for (const std::string& host : hosts_) {
        if (host == "h7") continue;
        EXPECT_TRUE(files(host).holds("/tmp/big", content)) << host;
    }
    EXPECT_FALSE(files("h7").has("/tmp/big"));
    EXPECT_LT(took_, undisturbed * 105 / 100) << said_;
}

TEST_F(BcastSimulated, AHostThatFallsSilentIsPassedOverAndGetsItsFileLater) {
    const std::string content = drawn_bytes(16'000'000);
    const Duration undisturbed = time_undisturbed(content);
    after(milliseconds(600), [](sim::SimWorld& there) { there.stop("h7"); });
    after(undisturbed + seconds(1), [this, &content](sim::SimWorld& there) {
        EXPECT_TRUE(files(hosts_.back()).holds("/tmp/big", content));
        there.resume("h7");
    });
    EXPECT_EQ(run("bcast --order name /tmp/big /tmp/big"), 0) << said_;
    for (const std::string& host : hosts_)
        EXPECT_TRUE(files(host).holds("/tmp/big", content)) << host;
}

// The last one of the chain, which all others have served by then, gives it to the one that was silent.
TEST_F(BcastSimulated, AHostThatWasSilentTakesItAtTheEnd) {
    prepare(20'000'000);
    after(milliseconds(600), [](sim::SimWorld& there) { there.stop("h7"); });
    after(milliseconds(1800), [](sim::SimWorld& there) { there.resume("h7"); });
    EXPECT_EQ(run("bcast --json --order name /tmp/big /tmp/big"), 0) << said_;
    EXPECT_LT(seconds_of_others("h7"), undisturbed_ + 1);
    EXPECT_LT(seconds_of("h7"), undisturbed_ + 2.5);
    expect_everywhere_alike();
}

// As on a machine that is short of memory; they come back one after the other, within a second. Many are gone
// round meanwhile, and take it at the same time in the end.
TEST_F(BcastSimulated, WhenAllStandStillForAWhileNobodyIsLeftFarBehind) {
    prepare(30'000'000);
    constexpr std::array<std::uint64_t, 4> seeds{4, 10, 12, 18};
    for (const std::uint64_t seed : std::span(seeds).first(sim::effort(seeds.size(), 1))) {
        std::mt19937_64 random(seed);
        for (const std::string& host : hosts_) {
            after(milliseconds(1000), [&host](sim::SimWorld& there) { there.stop(host); });
            after(milliseconds(1450 + random() % 1000),
                  [&host](sim::SimWorld& there) { there.resume(host); });
        }
        EXPECT_EQ(run("bcast --json --order name /tmp/big /tmp/big"), 0) << said_;
        for (const std::string& host : hosts_)
            EXPECT_LT(seconds_of(host), 2 * undisturbed_ + 1) << seed << " " << host;
        expect_everywhere_alike();
        for (const std::string& host : hosts_)
            EXPECT_TRUE(files(host).remove("/tmp/big"));
    }
}

// What it costs until that is seen, however much there is to send.
TEST_F(BcastSimulated, ASlowHostCostsTheOthersASecondAtMost) {
    prepare(30'000'000);
    world().network().set_rate("h7", 12.5e6);
    EXPECT_EQ(run("bcast --json --order name /tmp/big /tmp/big"), 0) << said_;
    EXPECT_LT(seconds_of_others("h7"), undisturbed_ + 1);
    EXPECT_GT(seconds_of("h7"), undisturbed_ * 3);
    expect_everywhere_alike();
}

// What it says of itself stands in the queue of its card, behind what it gives.
TEST_F(BcastSimulated, AFirstHostThatBecomesSlowCostsTheOthersOneAndAHalfSecondsAtMost) {
    prepare(30'000'000);
    after(milliseconds(1900), [](sim::SimWorld& there) { there.network().set_rate("h0", 12.5e6); });
    EXPECT_EQ(run("bcast --json --order name /tmp/big /tmp/big"), 0) << said_;
    EXPECT_LT(seconds_of_others("h0"), undisturbed_ + 1.5);
    EXPECT_GT(seconds_of("h0"), undisturbed_ * 2);
    expect_everywhere_alike();
}

TEST_F(BcastSimulated, AFirstHostBehindASourceOnAHostThatBecomesSlowCostsTheOthersOneAndAHalfSecondsAtMost) {
    prepare(30'000'000);
    files("h3").put("/tmp/of_h3", content_);
    after(milliseconds(1900), [](sim::SimWorld& there) { there.network().set_rate("h0", 12.5e6); });
    EXPECT_EQ(run("bcast --json --order name h3:/tmp/of_h3 /tmp/big"), 0) << said_;
    EXPECT_LT(seconds_of_others("h0"), undisturbed_ + 1.5);
    EXPECT_GT(seconds_of("h0"), undisturbed_ * 2);
}

TEST_F(BcastSimulated, ALinkThatIsCutCostsTheOthersThreeQuartersOfASecondAtMost) {
    prepare(20'000'000);
    after(milliseconds(1000), [](sim::SimWorld& there) { there.cut("h7", sim::Cut::silent); });
    EXPECT_EQ(run("bcast --json --order name /tmp/big /tmp/big"), 1);
    EXPECT_LT(seconds_of_others("h7"), undisturbed_ + 0.75);
    EXPECT_THAT(said_, HasSubstr(have_it_but(1)));
}

// No end of the connection is seen: the root's own connection to it is silent from then on, as all others
// are.
TEST_F(BcastSimulated, AllGetItWhenTheRootsConnectionToTheFirstHostFallsSilent) {
    prepare(20'000'000);
    after(milliseconds(1000), [](sim::SimWorld& there) { there.cut("h0", sim::Cut::silent); });
    after(milliseconds(3000), [](sim::SimWorld& there) { there.heal("h0"); });
    EXPECT_EQ(run("bcast --json --order name /tmp/big /tmp/big"), 0) << said_;
    EXPECT_LT(seconds_of_others("h0"), undisturbed_ + 1.5);
    expect_everywhere_alike();
}

TEST(BcastChaos, EveryHostThatIsLeftHasTheExactBytesAndNobodyAPart) {
    for (std::uint64_t seed = 1; seed <= sim::effort(20, 2); ++seed)
        EXPECT_EQ(BcastChaos(seed).run(), "") << seed;
}

TEST_F(BcastSimulated, AFullDiskIsFoundBeforeSending) {
    const std::string content = drawn_bytes(5'000'000);
    files("ctl").put("/tmp/big", content);
    files("h4").claim_free(4'000'000);
    EXPECT_EQ(run("bcast /tmp/big /tmp"), 1);
    EXPECT_THAT(said_, HasSubstr("bcast: h4: /tmp: no space: 5 MB needed, 4 MB free"));
    expect_everywhere("/tmp/big", content, {"h4"});
    EXPECT_TRUE(files("h4").paths().empty());
}

TEST_F(BcastSimulated, ADiskThatBecomesFullFailsThatHostAlone) {
    const std::string content = drawn_bytes(5'000'000);
    files("ctl").put("/tmp/big", content);
    files("h4").set_capacity(3'000'000);
    files("h4").claim_free(9'000'000);
    EXPECT_EQ(run("bcast /tmp/big /tmp"), 1);
    EXPECT_THAT(said_, HasSubstr("bcast: h4: /tmp/big: No space left on device"));
    expect_everywhere("/tmp/big", content, {"h4"});
    EXPECT_TRUE(files("h4").paths().empty());
}

TEST_F(BcastSimulated, ATargetThatCannotBeWrittenIsNamed) {
    files("ctl").put("/tmp/big", "small");
    files("h0").make_read_only("/tmp");
    files("h9").make_read_only("/tmp");
    EXPECT_EQ(run("bcast /tmp/big /tmp"), 1);
    EXPECT_THAT(said_, HasSubstr("bcast: h[0,9]: /tmp/big: Permission denied"));
    expect_everywhere("/tmp/big", "small", {"h0", "h9"});
    EXPECT_TRUE(files("h0").paths().empty());
}

TEST_F(BcastSimulated, AFileThatChangesWhileItIsSentFailsEverywhere) {
    files("ctl").put("/tmp/big", drawn_bytes(20'000'000));
    for (const std::string& host : hosts_)
        world().network().set_rate(host, 100e6);
    after(milliseconds(300), [](sim::SimWorld& there) {
        there.files("ctl").put("/tmp/big", drawn_bytes(20'000'000, 2));
        FileStatus later = *there.files("ctl").status("/tmp/big");
        later.modified += 1;
        ASSERT_TRUE(there.files("ctl").set_metadata("/tmp/big", later));
    });
    EXPECT_EQ(run("bcast /tmp/big /tmp"), 1);
    EXPECT_THAT(said_, HasSubstr("bcast: " + all_hosts() + ": /tmp/big: changed while it was sent"));
    EXPECT_THAT(said_, HasSubstr(have_it_but(hosts_.size())));
    for (const std::string& host : hosts_)
        EXPECT_TRUE(files(host).paths().empty()) << host;
}

TEST_F(BcastSimulated, TakesWhatLiesOnAHost) {
    const std::string content = drawn_bytes(3'000'000);
    files("h7").put("/tmp/of_h7", content);
    EXPECT_EQ(run("bcast h7:/tmp/of_h7 /tmp"), 0) << said_;
    expect_everywhere("/tmp/of_h7", content);
    EXPECT_EQ(run("bcast h7:/tmp/nothing /tmp"), 1);
    EXPECT_THAT(said_, HasSubstr("bcast: h7: /tmp/nothing: No such file or directory"));
    EXPECT_EQ(run("bcast h77:/tmp/of_h7 /tmp"), 2);
    EXPECT_THAT(said_, HasSubstr("h77 is none of the selected hosts"));
}

TEST_F(BcastSimulated, FailsEverywhereWhenTheHostThatHasItDies) {
    files("h7").put("/tmp/of_h7", drawn_bytes(16'000'000));
    for (const std::string& host : hosts_)
        world().network().set_rate(host, 100e6);
    after(milliseconds(600), [](sim::SimWorld& there) { there.kill("h7"); });
    EXPECT_EQ(run("bcast h7:/tmp/of_h7 /tmp"), 1);
    EXPECT_THAT(said_, HasSubstr(have_it_but(hosts_.size())));
    for (const std::string& host : hosts_)
        EXPECT_EQ(files(host).paths().size(), host == "h7" ? 1u : 0u) << host;
}

TEST_F(BcastSimulated, WhereOneHostCannotReachASourceOnAHostForAWhileAllGetIt) {
    prepare(4'000'000);
    files("h3").put("/tmp/of_h3", content_);
    after(milliseconds(500), [](sim::SimWorld& there) { there.cut("h7", sim::Cut::visible); });
    after(milliseconds(5500), [](sim::SimWorld& there) { there.heal("h7"); });
    EXPECT_EQ(run("bcast --method flat h3:/tmp/of_h3 /tmp/big"), 0) << said_;
    EXPECT_TRUE(files("h7").holds("/tmp/big", content_));
}

TEST_F(BcastSimulated, AHostThatWasCutOffFromASourceOnAHostTriesItAgain) {
    prepare(4'000'000);
    files("h3").put("/tmp/of_h3", content_);
    after(milliseconds(300), [](sim::SimWorld& there) { there.cut("h7", sim::Cut::visible); });
    after(milliseconds(1000), [](sim::SimWorld& there) { there.cut("h3", sim::Cut::silent); });
    after(milliseconds(5000), [](sim::SimWorld& there) { there.heal("h7"); });
    after(milliseconds(9000), [](sim::SimWorld& there) { there.heal("h3"); });
    EXPECT_EQ(run("bcast --method flat h3:/tmp/of_h3 /tmp/big"), 0) << said_;
    EXPECT_TRUE(files("h7").holds("/tmp/big", content_));
}

TEST_F(BcastSimulated, KeepsToTheLimit) {
    const std::string content = drawn_bytes(3'000'000);
    files("ctl").put("/tmp/big", content);
    EXPECT_EQ(run("bcast --limit 1M --verify /tmp/big /tmp"), 0) << said_;
    expect_everywhere("/tmp/big", content);
    EXPECT_GT(took_, milliseconds(2800));
    EXPECT_LT(took_, milliseconds(3400));
    EXPECT_EQ(run("bcast --limit fast /tmp/big /tmp"), 2);
}

TEST_F(BcastSimulated, KeepsZerosWhereverTheyStand) {
    std::string content = drawn_bytes(1'000'000) + std::string(3'000'000, '\0') + drawn_bytes(70'000);
    content += std::string(200'000, '\0');
    files("ctl").put("/tmp/sparse", content);
    EXPECT_EQ(run("bcast /tmp/sparse /tmp"), 0) << said_;
    expect_everywhere("/tmp/sparse", content);
}

// 64 MB at 100 Mbit/s were five seconds, and more than a host has room for.
TEST_F(BcastSimulated, SendsNoHoles) {
    std::string content = drawn_bytes(1'000'000);
    content.resize(64'000'000);
    files("ctl").put("/tmp/sparse", content);
    for (const std::string& host : hosts_)
        world().network().set_rate(host, 100e6);
    files("h4").claim_free(2'000'000);
    EXPECT_EQ(run("bcast /tmp/sparse /tmp"), 0) << said_;
    EXPECT_LT(took_, milliseconds(500));
    expect_everywhere("/tmp/sparse", content);
    EXPECT_LT(files("h7").footprint("/tmp/sparse")->bytes, 1'100'000u);
}

// Words, noise and zeros; one host joins others' chunks late and from a disk.
TEST_F(BcastSimulated, SendsContentsCompressed) {
    std::string content;
    for (int i = 0; content.size() < 12'000'000; ++i)
        content += "line " + std::to_string(i * 7919L % 1000) + "\n";
    content += drawn_bytes(2'000'000) + std::string(3'000'000, '\0') + "end";
    const Duration plain = time_undisturbed(content);
    for (const std::string& host : hosts_)
        EXPECT_TRUE(files(host).remove("/tmp/first"));
    EXPECT_EQ(run("bcast -z --order name /tmp/big /tmp/big"), 0) << said_;
    EXPECT_LT(took_, plain / 2);
    expect_everywhere("/tmp/big", content);
    for (const std::string& host : hosts_)
        EXPECT_TRUE(files(host).remove("/tmp/big"));
    after(milliseconds(250), [](sim::SimWorld& there) { there.stop("h7"); });
    after(milliseconds(3000), [](sim::SimWorld& there) { there.resume("h7"); });
    EXPECT_EQ(run("bcast -z --verify --order name /tmp/big /tmp/big"), 0) << said_;
    expect_everywhere("/tmp/big", content);
}

TEST_F(BcastSimulated, CtrlCLeavesNothing) {
    files("ctl").put("/tmp/big", drawn_bytes(20'000'000));
    for (const std::string& host : hosts_)
        world().network().set_rate(host, 100e6);
    shell_.press_after(milliseconds(800));
    EXPECT_EQ(run("bcast /tmp/big /tmp"), 130);
    world().advance(seconds(1));
    EXPECT_EQ(world().roles_running(), 0u);
    for (const std::string& host : hosts_)
        EXPECT_TRUE(files(host).paths().empty()) << host;
}

TEST_F(BcastSimulated, SaysWhatIsMissingHere) {
    EXPECT_EQ(run("bcast /tmp/nothing /tmp"), 1);
    EXPECT_THAT(said_, HasSubstr("bcast: /tmp/nothing: No such file or directory"));
}

// What lies in the middle of a chain of two gives to the other.
TEST_F(BcastSimulated, GoesInTheOrderOfTheRanksThatArePlaced) {
    files("ctl").put("/tmp/small", "small");
    const std::string line = "bcast --json --order ranks /tmp/small /tmp";
    EXPECT_EQ(run(line), 2);
    EXPECT_THAT(said_, HasSubstr("--order ranks: no ranks are placed: run rankmap"));
    ASSERT_EQ(run("infer"), 0) << said_;
    const std::size_t ranks = hosts_.size() - 2;
    ASSERT_EQ(run("rankmap --method random --seed 3 --np " + std::to_string(ranks) + " --json"), 0) << said_;
    std::vector<std::string> wanted;
    const auto placed = nlohmann::json::parse(printed_);
    for (const auto& rank : placed.at("ranks"))
        wanted.push_back(rank.at("host"));
    for (const std::string& host : hosts_)
        if (std::ranges::find(wanted, host) == wanted.end()) wanted.push_back(host);
    ASSERT_EQ(run(line), 0) << said_;
    EXPECT_THAT(said_, HasSubstr("so at the end: " + fold_hosts(std::span(wanted).subspan(ranks))));
    std::vector<std::string> order;
    const auto report = nlohmann::json::parse(printed_);
    for (const auto& host : report.at("hosts"))
        order.push_back(host.at("host"));
    EXPECT_EQ(order, wanted);
}

TEST_F(BcastSimulated, PrintsHowItEndedAsJson) {
    files("ctl").put("/tmp/small", "small");
    files("h9").make_read_only("/tmp");
    EXPECT_EQ(run("bcast --json /tmp/small /tmp"), 1);
    const nlohmann::json json = nlohmann::json::parse(printed_);
    EXPECT_EQ(json["bytes"], 5);
    EXPECT_EQ(json["have"], hosts_.size() - 1);
    ASSERT_EQ(json["hosts"].size(), hosts_.size());
    EXPECT_EQ(json["hosts"][0]["has"], true);
}

}  // namespace
}  // namespace trellis
