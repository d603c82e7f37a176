// `bcast --resume`: what an interrupted broadcast leaves, and what the next one makes of it, in the simulated
// world.
#include "tests/scenario/bcast_simulated.hpp"

#include <string>

#include <gmock/gmock.h>

namespace trellis {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

class BcastResume : public BcastSimulated {
  protected:
    // A file of 16 MB whose broadcast is interrupted when some of it has come.
    void interrupt(const std::string& line = "bcast --resume --order name /tmp/big /tmp") {
        if (content_.empty()) content_ = drawn_bytes(16'000'000);
        files("ctl").put("/tmp/big", content_);
        for (const std::string& host : hosts_)
            world().network().set_rate(host, 100e6);
        shell_.press_after(milliseconds(1000));
        EXPECT_EQ(run(line), 130);
        world().advance(std::chrono::seconds(1));
        EXPECT_EQ(world().roles_running(), 0u);
    }
    // The path under which a host keeps what has come.
    std::string kept_at(const std::string& host) {
        for (const std::string& path : files(host).paths())
            if (path.starts_with("/tmp/.big.trellis-kept-") && !path.ends_with(".list")) return path;
        return "";
    }
    nlohmann::json report_of(const std::string& host) {
        const nlohmann::json report = nlohmann::json::parse(printed_);
        for (const auto& each : report["hosts"])
            if (each["host"] == host) return each;
        return {};
    }
    void expect_all_of_it_again() {
        EXPECT_EQ(run("bcast --json --resume --order name /tmp/big /tmp"), 0) << said_;
        expect_everywhere("/tmp/big", content_);
    }
};

TEST_F(BcastResume, FetchesOnlyWhatIsMissing) {
    interrupt();
    for (const std::string& host : hosts_) {
        EXPECT_FALSE(files(host).has("/tmp/big"));
        EXPECT_EQ(files(host).paths().size(), 2u) << host;
    }
    const TimePoint begun = world().time().now();
    expect_all_of_it_again();
    EXPECT_LT(world().time().now() - begun, milliseconds(1100));
    EXPECT_GT(report_of("h7")["kept"], 4'000'000);
    EXPECT_THAT(said_, HasSubstr(" was there from an earlier one: " + all_hosts()));
}

TEST_F(BcastResume, WithoutItNothingIsLeft) {
    interrupt("bcast --order name /tmp/big /tmp");
    for (const std::string& host : hosts_)
        EXPECT_TRUE(files(host).paths().empty()) << host;
}

TEST_F(BcastResume, GoesOnOnEachHostFromWhatIsRightThere) {
    interrupt();
    std::string damaged = files("h3").content(kept_at("h3"));
    damaged[5'000'000] = static_cast<char>(damaged[5'000'000] + 1);
    files("h3").put(kept_at("h3"), damaged);
    EXPECT_TRUE(files("h5").remove(kept_at("h5")));
    for (const std::string& path : files("h6").paths())
        EXPECT_TRUE(files("h6").remove(path));
    expect_all_of_it_again();
    EXPECT_EQ(report_of("h3")["kept"], 4 << 20);
    EXPECT_FALSE(report_of("h5").contains("kept"));
    EXPECT_FALSE(report_of("h6").contains("kept"));
}

// What is zero is not written where zeros lie already.
TEST_F(BcastResume, MendsWhatIsNotZeroInAHole) {
    content_ = drawn_bytes(16'000'000);
    content_.replace(2'500'000, 4'000'000, 4'000'000, '\0');
    interrupt();
    std::string damaged = files("h3").content(kept_at("h3"));
    damaged[3'500'000] = 'x';
    files("h3").put(kept_at("h3"), damaged);
    files("h5").put(kept_at("h5"), damaged.substr(0, 3'000'000));
    files("h6").put(kept_at("h6"), damaged + "more");
    expect_all_of_it_again();
    for (const char* host : {"h3", "h5", "h6"})
        EXPECT_EQ(report_of(host)["kept"], host[1] == '5' ? 2 << 20 : 3 << 20) << host;
}

TEST_F(BcastResume, BeginsAnewAndSaysSoWhenTheSourceIsAnother) {
    interrupt();
    content_ = drawn_bytes(5'000'000, 2);
    files("ctl").put("/tmp/big", content_);
    expect_all_of_it_again();
    EXPECT_THAT(said_, HasSubstr("what an earlier one left is of another source, sent anew: " + all_hosts()));
    EXPECT_FALSE(report_of("h7").contains("kept"));
}

// Its time and size are the old ones: only the digests tell.
TEST_F(BcastResume, BeginsAnewWhenOnlyTheBytesOfTheSourceAreOthers) {
    interrupt();
    content_ = drawn_bytes(16'000'000, 2);
    files("ctl").put("/tmp/big", content_);
    expect_all_of_it_again();
    EXPECT_THAT(said_, HasSubstr("sent anew: " + all_hosts()));
}

TEST_F(BcastResume, GoesOnWithADirectory) {
    const auto make = [&](sim::SimFiles& there) {
        there.put_directory("/tmp/tree");
        there.put("/tmp/tree/a", drawn_bytes(9'000'000, 3), 0444);
        there.put("/tmp/tree/b", drawn_bytes(9'000'000, 4));
        there.put("/tmp/tree/c", "");
        EXPECT_TRUE(there.make_hard_link("/tmp/tree/d", "/tmp/tree/a"));
    };
    make(files("ctl"));
    for (const std::string& host : hosts_)
        world().network().set_rate(host, 100e6);
    shell_.press_after(milliseconds(1200));
    EXPECT_EQ(run("bcast --resume --order name /tmp/tree /tmp"), 130);
    world().advance(std::chrono::seconds(1));
    EXPECT_EQ(run("bcast --json --resume --order name /tmp/tree /tmp"), 0) << said_;
    EXPECT_GT(report_of(hosts_.back())["kept"], 4'000'000);
    for (const std::string& host : hosts_) {
        EXPECT_EQ(files(host).paths(), files("ctl").paths()) << host;
        for (const char* path : {"/tmp/tree/a", "/tmp/tree/b", "/tmp/tree/c"})
            EXPECT_TRUE(files(host).content(path) == files("ctl").content(path)) << host << path;
        const auto shared = files(host).footprint("/tmp/tree/a")->shared;
        EXPECT_TRUE(shared && files(host).footprint("/tmp/tree/d")->shared == shared) << host;
    }
}

TEST_F(BcastResume, GoesOnFromTheHostThatHasIt) {
    content_ = drawn_bytes(16'000'000);
    files("h7").put("/tmp/big", content_);
    for (const std::string& host : hosts_)
        world().network().set_rate(host, 100e6);
    shell_.press_after(milliseconds(1000));
    EXPECT_EQ(run("bcast --resume --order name h7:/tmp/big /tmp"), 130);
    world().advance(std::chrono::seconds(1));
    EXPECT_EQ(run("bcast --json --resume --order name h7:/tmp/big /tmp"), 0) << said_;
    EXPECT_GT(report_of(hosts_.back())["kept"], 4'000'000);
    expect_everywhere("/tmp/big", content_);
}

// The agent had no time to tidy up.
TEST_F(BcastResume, GoesOnFromWhatAKilledAgentLeft) {
    content_ = drawn_bytes(16'000'000);
    files("ctl").put("/tmp/big", content_);
    for (const std::string& host : hosts_)
        world().network().set_rate(host, 100e6);
    after(milliseconds(1000), [](sim::SimWorld& there) { there.kill("h7"); });
    EXPECT_EQ(run("bcast --resume --order name /tmp/big /tmp"), 1);
    EXPECT_EQ(files("h7").paths().size(), 2u);
    EXPECT_EQ(run("explore h7"), 0);
    EXPECT_EQ(run("bcast --json --resume --order name /tmp/big /tmp"), 0) << said_;
    EXPECT_GT(report_of("h7")["kept"], 4'000'000);
    expect_everywhere("/tmp/big", content_);
}

TEST_F(BcastResume, TouchesNothingOfSomebodyElse) {
    interrupt();
    files("h2").give_away(kept_at("h2"));
    EXPECT_EQ(run("bcast --resume --order name /tmp/big /tmp"), 1);
    EXPECT_THAT(said_, HasSubstr("it is not yours"));
    expect_everywhere("/tmp/big", content_, {"h2"});
}

TEST_F(BcastResume, IsForFilesOnly) {
    EXPECT_EQ(run("bcast --resume - /tmp/x"), 2);
    EXPECT_EQ(run("bcast --resume --pipe wc /tmp/x"), 2);
    EXPECT_THAT(said_, HasSubstr("--resume is for files"));
}

}  // namespace
}  // namespace trellis
