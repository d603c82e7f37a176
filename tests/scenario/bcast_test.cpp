// `bcast` from the shell's command line to the files on the hosts, in the simulated world.
#include "tests/scenario/bcast_chaos.hpp"
#include "tests/scenario/cut_through.hpp"
#include "tests/scenario/sim_shell.hpp"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace trellis {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;

std::string drawn_bytes(std::size_t size, std::uint64_t seed = 1) {
    std::mt19937_64 random(seed);
    std::string bytes;
    while (bytes.size() < size) {
        const std::uint64_t drawn = random();
        bytes.append(reinterpret_cast<const char*>(&drawn), sizeof drawn);
    }
    bytes.resize(size);
    return bytes;
}

// A queue holds all that one connection may have under way: as in a real kernel nobody loses what is its own.
lab::TopologyFile twenty_hosts() {
    return sim::parse_lab(
        "switch s0\nhost ctl s0 10.9.0.1 rate=10gbit delay=25us queue=8m\n"
        "hosts h%d 0 19 s0 10.1.0.1 rate=1gbit delay=25us queue=4m\n");
}

class BcastSimulated : public ::testing::Test {
  protected:
    BcastSimulated() : shell_(twenty_hosts()) {
        for (std::size_t i = 0; i < 20; ++i)
            hosts_.push_back("h" + std::to_string(i));
        EXPECT_EQ(shell_.explore_all(), 0) << shell_.said();
        (void)shell_.said();
    }
    [[nodiscard]] sim::SimWorld& world() { return shell_.world(); }
    [[nodiscard]] sim::SimFiles& files(const std::string& host) { return world().files(host); }
    int run(const std::string& line) {
        const TimePoint begun = world().time().now();
        const int status = shell_.run(line).status;
        took_ = world().time().now() - begun;
        said_ = shell_.said();
        printed_ = shell_.printed();
        return status;
    }
    template <class What>
    void after(Duration delay, What what) {
        world().time().at(world().time().now() + delay, [this, what] { what(world()); });
    }
    // This file and nothing else on every host but these.
    void expect_everywhere(const std::string& path, const std::string& content,
                           const std::vector<std::string>& but = {}) {
        for (const std::string& host : hosts_) {
            if (std::ranges::find(but, host) != but.end()) continue;
            ASSERT_TRUE(files(host).has(path)) << host << "\n" << said_;
            EXPECT_TRUE(files(host).content(path) == content) << host;
            EXPECT_EQ(files(host).paths().size(), 1u) << host;
        }
    }

    // A file of this size, and how long it takes to send it when nothing happens.
    void prepare(std::size_t size) {
        content_ = drawn_bytes(size);
        files("ctl").put("/tmp/big", content_);
        for (const std::string& host : hosts_)
            world().network().set_rate(host, 100e6);
        EXPECT_EQ(run("bcast --json --order name /tmp/big /tmp/first"), 0) << said_;
        undisturbed_ = nlohmann::json::parse(printed_)["seconds"];
        for (const std::string& host : hosts_)
            EXPECT_TRUE(files(host).remove("/tmp/first"));
    }
    // Until it had the file.
    [[nodiscard]] double seconds_of(const std::string& host) const {
        const nlohmann::json report = nlohmann::json::parse(printed_);
        for (const auto& each : report["hosts"])
            if (each["host"] == host) return each["seconds"];
        return 0;
    }
    [[nodiscard]] double seconds_of_others(const std::string& but) const {
        double latest = 0;
        for (const std::string& host : hosts_)
            if (host != but) latest = std::max(latest, seconds_of(host));
        return latest;
    }
    void expect_everywhere_alike() { expect_everywhere("/tmp/big", content_); }

    // Of /tmp/big with this content to all hosts, with cards of 100 Mbit/s from now on.
    Duration time_undisturbed(const std::string& content) {
        files("ctl").put("/tmp/big", content);
        for (const std::string& host : hosts_)
            world().network().set_rate(host, 100e6);
        EXPECT_EQ(run("bcast --order name /tmp/big /tmp/first"), 0) << said_;
        return took_;
    }

    SimShell shell_;
    std::string content_;
    double undisturbed_ = 0;
    std::vector<std::string> hosts_;
    std::string said_, printed_;
    Duration took_{};
};

TEST_F(BcastSimulated, GivesEveryHostTheExactBytes) {
    const std::string content = drawn_bytes(3'000'001);
    files("ctl").put("/tmp/big", content, 0751);
    EXPECT_EQ(run("bcast /tmp/big /tmp"), 0) << said_;
    expect_everywhere("/tmp/big", content);
    EXPECT_THAT(said_, HasSubstr("20 of 20 hosts have it: 3 MB"));
    EXPECT_THAT(said_, HasSubstr("no topology is known"));
    for (const std::string& host : hosts_) {
        EXPECT_EQ(files(host).status("/tmp/big")->mode, 0751u);
        EXPECT_EQ(files(host).status("/tmp/big")->modified, files("ctl").status("/tmp/big")->modified);
    }
}

// Every host passes on what it gets while it gets it.
TEST(BcastCutThrough, TakesTheTimeOfOneTransferAndAHopForEachHost) {
    const CutThrough trial = cut_through(128, 8'000'000);
    EXPECT_EQ(trial.have, 128u);
    EXPECT_GT(trial.taken, trial.ideal * 0.99);
    EXPECT_LT(trial.taken, trial.ideal * 1.03);
}

TEST_F(BcastSimulated, SendsATreeOfFilesWithNamesModesAndTimes) {
    sim::SimFiles& here = files("ctl");
    here.put_directory("/tmp/tree");
    here.put_directory("/tmp/tree/sub dir");
    here.put("/tmp/tree/empty", "", 0600);
    here.put("/tmp/tree/sub dir/line\nbreak", drawn_bytes(3'000'000), 0444);
    here.put("/tmp/tree/z", "z", 0755);
    ASSERT_TRUE(here.make_link("/tmp/tree/link", "sub dir/line\nbreak"));
    EXPECT_EQ(run("bcast /tmp/tree/ /tmp"), 0) << said_;
    for (const std::string& host : hosts_) {
        EXPECT_EQ(files(host).paths(), here.paths()) << host;
        for (const std::string& path : here.paths())
            EXPECT_EQ(*files(host).link_status(path), *here.link_status(path)) << host << " " << path;
        const std::string large = "/tmp/tree/sub dir/line\nbreak";
        EXPECT_TRUE(files(host).content(large) == here.content(large)) << host;
    }
}

TEST_F(BcastSimulated, SendsTenThousandSmallFiles) {
    sim::SimFiles& here = files("ctl");
    here.put_directory("/tmp/tree");
    for (int i = 0; i < 10'000; ++i)
        here.put("/tmp/tree/" + std::to_string(i), std::string(static_cast<std::size_t>(i % 50), 'x'));
    EXPECT_EQ(run("bcast /tmp/tree /tmp"), 0) << said_;
    for (const std::string& host : hosts_) {
        EXPECT_TRUE(files(host).paths() == here.paths()) << host;
        EXPECT_EQ(files(host).content("/tmp/tree/9999"), here.content("/tmp/tree/9999")) << host;
    }
}

TEST_F(BcastSimulated, MergesIntoADirectoryThatIsThere) {
    files("ctl").put_directory("/tmp/tree");
    files("ctl").put("/tmp/tree/a", "new");
    files("h3").put_directory("/tmp/tree");
    files("h3").put("/tmp/tree/a", "old");
    files("h3").put("/tmp/tree/b", "own");
    EXPECT_EQ(run("bcast /tmp/tree /tmp"), 0) << said_;
    EXPECT_EQ(files("h3").content("/tmp/tree/a"), "new");
    EXPECT_EQ(files("h3").content("/tmp/tree/b"), "own");
    EXPECT_EQ(files("h3").paths().size(), 3u);
    EXPECT_EQ(files("h4").paths().size(), 2u);
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
    EXPECT_THAT(said_, HasSubstr("19 of 20 hosts have it"));
    for (const std::string& host : hosts_) {
        if (host == "h7") continue;
        EXPECT_TRUE(files(host).content("/tmp/big") == content) << host;
    }
    EXPECT_FALSE(files("h7").has("/tmp/big"));
    EXPECT_LT(took_, undisturbed * 105 / 100) << said_;
}

TEST_F(BcastSimulated, AHostThatFallsSilentIsPassedOverAndGetsItsFileLater) {
    const std::string content = drawn_bytes(16'000'000);
    const Duration undisturbed = time_undisturbed(content);
    after(milliseconds(600), [](sim::SimWorld& there) { there.stop("h7"); });
    after(undisturbed + seconds(1), [this, &content](sim::SimWorld& there) {
        EXPECT_TRUE(files("h19").has("/tmp/big") && files("h19").content("/tmp/big") == content);
        there.resume("h7");
    });
    EXPECT_EQ(run("bcast --order name /tmp/big /tmp/big"), 0) << said_;
    for (const std::string& host : hosts_)
        EXPECT_TRUE(files(host).content("/tmp/big") == content) << host;
}

// The last one of the chain, which all others have served by then, gives it to the one that was silent.
TEST_F(BcastSimulated, AHostThatWasSilentTakesItAtTheEnd) {
    prepare(40'000'000);
    after(milliseconds(600), [](sim::SimWorld& there) { there.stop("h7"); });
    after(milliseconds(1800), [](sim::SimWorld& there) { there.resume("h7"); });
    EXPECT_EQ(run("bcast --json --order name /tmp/big /tmp/big"), 0) << said_;
    EXPECT_LT(seconds_of_others("h7"), undisturbed_ + 1);
    EXPECT_LT(seconds_of("h7"), undisturbed_ + 2.5);
    expect_everywhere_alike();
}

// What it costs until that is seen, however much there is to send.
TEST_F(BcastSimulated, ASlowHostCostsTheOthersTwoSecondsAtMost) {
    prepare(60'000'000);
    world().network().set_rate("h7", 25e6);
    EXPECT_EQ(run("bcast --json --order name /tmp/big /tmp/big"), 0) << said_;
    EXPECT_LT(seconds_of_others("h7"), undisturbed_ + 2);
    EXPECT_GT(seconds_of("h7"), undisturbed_ * 3);
    expect_everywhere_alike();
}

TEST_F(BcastSimulated, ALinkThatIsCutCostsTheOthersASecondAtMost) {
    prepare(40'000'000);
    after(milliseconds(1000), [](sim::SimWorld& there) { there.cut("h7", sim::Cut::silent); });
    EXPECT_EQ(run("bcast --json --order name /tmp/big /tmp/big"), 1);
    EXPECT_LT(seconds_of_others("h7"), undisturbed_ + 1);
    EXPECT_THAT(said_, HasSubstr("19 of 20 hosts have it"));
}

TEST(BcastChaos, EveryHostThatIsLeftHasTheExactBytesAndNobodyAPart) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed)
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
    EXPECT_THAT(said_, HasSubstr("bcast: h4: "));
    EXPECT_THAT(said_, HasSubstr("No space left on device"));
    expect_everywhere("/tmp/big", content, {"h4"});
    EXPECT_TRUE(files("h4").paths().empty());
}

TEST_F(BcastSimulated, ATargetThatCannotBeWrittenIsNamed) {
    files("ctl").put("/tmp/big", "small");
    files("h0").make_read_only("/tmp");
    files("h9").make_read_only("/tmp");
    EXPECT_EQ(run("bcast /tmp/big /tmp"), 1);
    EXPECT_THAT(said_, HasSubstr("Permission denied"));
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
    EXPECT_THAT(said_, HasSubstr("bcast: h[0-19]: /tmp/big: changed while it was sent"));
    EXPECT_THAT(said_, HasSubstr("0 of 20 hosts have it"));
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
    EXPECT_THAT(said_, HasSubstr("0 of 20 hosts have it"));
    for (const std::string& host : hosts_)
        EXPECT_EQ(files(host).paths().size(), host == "h7" ? 1u : 0u) << host;
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

TEST_F(BcastSimulated, PrintsHowItEndedAsJson) {
    files("ctl").put("/tmp/small", "small");
    files("h9").make_read_only("/tmp");
    EXPECT_EQ(run("bcast --json /tmp/small /tmp"), 1);
    const nlohmann::json json = nlohmann::json::parse(printed_);
    EXPECT_EQ(json["bytes"], 5);
    EXPECT_EQ(json["have"], 19);
    ASSERT_EQ(json["hosts"].size(), 20u);
    EXPECT_EQ(json["hosts"][0]["has"], true);
}

}  // namespace
}  // namespace trellis
