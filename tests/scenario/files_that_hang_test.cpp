// `bcast` and `gather` where files do not answer any more, as those of a server that is gone, in the
// simulated world.
#include "tests/scenario/bcast_simulated.hpp"

#include <gmock/gmock.h>

namespace trellis {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;

class FilesThatHang : public BcastSimulated {
  protected:
    void hang_after(Duration delay, const std::string& host) {
        after(delay, [host](sim::SimWorld& there) { there.files(host).hang(); });
    }
    void expect_a_minute() {
        EXPECT_GT(took_, seconds(59));
        EXPECT_LT(took_, seconds(65));
    }
    void expect_nothing_on_hosts() {
        EXPECT_EQ(world().roles_running(), 0u);
        for (const std::string& host : hosts_)
            EXPECT_TRUE(files(host).paths().empty()) << host;
    }
};

TEST_F(FilesThatHang, CostAHostItsPlaceAfterAMinute) {
    content_ = drawn_bytes(16'000'000);
    const Duration undisturbed = time_undisturbed(content_);
    for (const bool plain : {false, true}) {
        plain_ = plain;
        const std::string path = plain ? "/tmp/plain" : "/tmp/encrypted";
        files("h7").thaw();
        hang_after(milliseconds(600), "h7");
        after(undisturbed + seconds(3), [this, path](sim::SimWorld&) {
            for (const std::string& host : hosts_)
                EXPECT_EQ(files(host).holds(path, content_), host != "h7") << host;
        });
        EXPECT_EQ(run("bcast --order name /tmp/big " + path), 1);
        EXPECT_THAT(said_, HasSubstr("h7: its files have not answered for a minute"));
        EXPECT_THAT(said_, HasSubstr(have_it_but(1)));
        EXPECT_GT(took_, seconds(60));
        expect_a_minute();
        files("h7").thaw();
        world().advance(seconds(1));
        EXPECT_EQ(world().roles_running(), 0u);
        EXPECT_EQ(files("h7").paths().size(), 1u) << "a part is left";
    }
}

// Before anything is sent: nobody waits for longer than for one who does not answer.
TEST_F(FilesThatHang, AtTheBeginningCostAHostItsPlace) {
    content_ = drawn_bytes(3'000'000);
    files("ctl").put("/tmp/big", content_);
    files("h7").hang();
    EXPECT_EQ(run("bcast /tmp/big /tmp/big"), 1);
    EXPECT_THAT(said_, HasSubstr("h7: its files did not answer in time"));
    expect_everywhere("/tmp/big", content_, {"h7"});
    files("h7").thaw();
    world().advance(seconds(1));
    EXPECT_EQ(world().roles_running(), 0u);
    EXPECT_TRUE(files("h7").paths().empty());
}

TEST_F(FilesThatHang, AtTheSourceEndItAfterAMinute) {
    const std::string content = drawn_bytes(30'000'000);
    for (const std::string source : {"ctl", "h3"}) {
        files(source).put_directory("/tmp/of");
        files(source).put("/tmp/of/big", content);
        for (const std::string& host : hosts_)
            world().network().set_rate(host, 100e6);
        hang_after(milliseconds(600), source);
        EXPECT_EQ(run("bcast " + (source == "ctl" ? "" : source + ":") + "/tmp/of/big /tmp/big"), 1);
        EXPECT_THAT(said_, HasSubstr(": /tmp/of/big: has not answered for a minute"));
        EXPECT_THAT(said_, HasSubstr("bcast: " + all_hosts()));
        expect_a_minute();
        EXPECT_EQ(world().roles_running(), 0u);
        for (const std::string& host : hosts_)
            EXPECT_FALSE(files(host).has("/tmp/big")) << host;
        files(source).thaw();
        EXPECT_EQ(run("bcast " + (source == "ctl" ? "" : source + ":") + "/tmp/of/big /tmp/big"), 0) << said_;
        for (const std::string& host : hosts_)
            EXPECT_EQ(files(host).remove("/tmp/big").has_value(), host != source) << host;
    }
}

TEST_F(FilesThatHang, AtTheSourceEndItBeforeItBegins) {
    for (const std::string source : {"ctl", "h3"}) {
        files(source).put_directory("/tmp/of");
        files(source).put("/tmp/of/big", "big");
        files(source).hang();
        EXPECT_EQ(run("bcast " + (source == "ctl" ? "" : source + ":") + "/tmp/of/big /tmp/big"), 1);
        EXPECT_THAT(said_, HasSubstr("/tmp/of/big: has not answered for a minute"));
        expect_a_minute();
        files(source).thaw();
        world().advance(seconds(1));
        EXPECT_TRUE(files(source).remove("/tmp/of/big"));
        EXPECT_TRUE(files(source).remove("/tmp/of"));
        expect_nothing_on_hosts();
    }
}

TEST_F(FilesThatHang, DoNotHoldUpCtrlC) {
    files("ctl").put("/tmp/of/big", drawn_bytes(30'000'000));
    for (const std::string& host : hosts_)
        world().network().set_rate(host, 100e6);
    hang_after(milliseconds(600), "ctl");
    shell_.press_after(seconds(10));
    EXPECT_EQ(run("bcast /tmp/of/big /tmp/big"), 130);
    EXPECT_LT(took_, seconds(12));
    world().advance(seconds(1));
    expect_nothing_on_hosts();
    files("ctl").thaw();
    world().advance(seconds(1));
}

TEST_F(FilesThatHang, OfOneHostLeaveItOutOfWhatIsGathered) {
    const std::string content = drawn_bytes(3'000'000);
    for (const std::string& host : hosts_) {
        files(host).put("/tmp/log.1", content);
        files(host).put("/tmp/log.2", content);
        world().network().set_rate(host, 100e6);
    }
    for (const Duration after_all : {Duration(0), Duration(milliseconds(100))}) {
        files("h3").thaw();
        if (after_all == Duration(0))
            files("h3").hang();
        else
            hang_after(after_all, "h3");
        EXPECT_EQ(run("gather '/tmp/log.*' /tmp/here"), 1);
        EXPECT_THAT(said_, HasSubstr("gather: h3: /tmp/log."));
        EXPECT_THAT(said_, HasSubstr(": has not answered for a minute"));
        EXPECT_THAT(said_, HasSubstr("from " + std::to_string(hosts_.size() - 1) + " of "));
        EXPECT_TRUE(files("ctl").holds("/tmp/here/h4/log.2", content));
        EXPECT_FALSE(files("ctl").has("/tmp/here/h3/log.2"));
        EXPECT_LE(files("ctl").list("/tmp/here/h3")->size(), 1u);
        expect_a_minute();
        EXPECT_EQ(world().roles_running(), 0u);
    }
    files("h3").thaw();
    world().advance(seconds(1));
}

TEST_F(FilesThatHang, WhereItIsGatheredEndItAfterAMinute) {
    for (const std::string& host : hosts_) {
        files(host).put("/tmp/log", drawn_bytes(10'000'000));
        world().network().set_rate(host, 100e6);
    }
    hang_after(milliseconds(300), "ctl");
    EXPECT_EQ(run("gather /tmp/log /tmp/here"), 1);
    EXPECT_THAT(said_, HasSubstr("gather: " + all_hosts() + ": /tmp/here: has not answered for a minute"));
    expect_a_minute();
    world().advance(seconds(1));
    EXPECT_EQ(world().roles_running(), 0u);
    files("ctl").thaw();
    world().advance(seconds(1));
    EXPECT_EQ(files("ctl").paths().size(), 1 + hosts_.size()) << "more is left than empty directories";
    hang_after(milliseconds(300), "ctl");
    shell_.press_after(seconds(10));
    EXPECT_EQ(run("gather /tmp/log /tmp/here"), 130);
    EXPECT_LT(took_, seconds(12));
    files("ctl").thaw();
    world().advance(seconds(1));
    EXPECT_EQ(files("ctl").paths().size(), 1 + hosts_.size()) << "more is left than empty directories";
}

}  // namespace
}  // namespace trellis
