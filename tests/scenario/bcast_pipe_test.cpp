// `bcast --pipe`: commands that read what comes while it comes, in the simulated world.
#include "tests/scenario/bcast_simulated.hpp"

#include <string>

#include <gmock/gmock.h>

namespace trellis {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;

class BcastPipe : public BcastSimulated {
  protected:
    // 16 MB at 100 Mbit/s: 1.3 seconds and more.
    int pipe(const std::string& command) {
        files("ctl").put("/tmp/big", drawn_bytes(16'000'000));
        for (const std::string& host : hosts_)
            world().network().set_rate(host, 100e6);
        return run("bcast --json --order name --pipe '" + command + "' /tmp/big");
    }
    void expect_nothing_left() {
        EXPECT_EQ(world().commands_running(), 0u);
        for (const std::string& host : hosts_)
            EXPECT_TRUE(files(host).paths().empty()) << host;
    }
};

TEST_F(BcastPipe, GivesTheCommandWhatComesWhileItComes) {
    std::size_t at_work = 0, done = 0;
    after(milliseconds(150), [&](sim::SimWorld& there) { at_work = there.commands_running(); });
    after(milliseconds(1100), [&](sim::SimWorld& there) { done = hosts_.size() - there.commands_running(); });
    EXPECT_EQ(pipe("take 60000; sleep 0.5; take 60000"), 0) << said_;
    EXPECT_EQ(at_work, hosts_.size());
    EXPECT_EQ(done, hosts_.size());
    EXPECT_GT(took_, milliseconds(1200));
    EXPECT_THAT(said_, HasSubstr(have_it_but(0)));
    expect_nothing_left();
}

TEST_F(BcastPipe, ReadsAllOfItThroughACommandThatKeepsUp) {
    EXPECT_EQ(pipe("copy 0 1"), 0) << said_;
    expect_nothing_left();
}

TEST_F(BcastPipe, TheStatusOfTheCommandIsTheOutcomeOfTheHost) {
    EXPECT_EQ(pipe("take 1000; exit 3"), 1);
    EXPECT_THAT(said_, HasSubstr("bcast: " + all_hosts() + ": the command ended with status 3"));
    EXPECT_GT(took_, milliseconds(1200));  // they go on for the others
    expect_nothing_left();
}

// Every host waits five seconds before it reads: all of it has come everywhere long before.
TEST_F(BcastPipe, ASlowCommandHoldsUpNobody) {
    std::size_t whole = 0;
    after(milliseconds(2500), [&](sim::SimWorld& there) {
        for (const std::string& host : hosts_)
            for (const std::string& path : files(host).paths())
                if (files(host).content(path) == there.files("ctl").content("/tmp/big")) ++whole;
    });
    EXPECT_EQ(pipe("sleep 5; copy 0 1"), 0) << said_;
    EXPECT_EQ(whole, hosts_.size());
    EXPECT_GT(took_, seconds(5));
    expect_nothing_left();
}

// It must not take half of it for the whole.
TEST_F(BcastPipe, ACommandNeverSeesTheEndOfWhatIsNotWhole) {
    shell_.press_after(milliseconds(600));
    EXPECT_EQ(pipe("copy 0 1; leave 60; sleep 60"), 130);
    world().advance(seconds(2));
    expect_nothing_left();
}

TEST_F(BcastPipe, ADirectoryThatIsNotThereFailsThatHostAlone) {
    files("ctl").put("/tmp/big", "small");
    for (const std::string& host : hosts_)
        if (host != "h3") files(host).put_directory("/tmp/in");
    EXPECT_EQ(run("bcast --pipe 'take 10' /tmp/big /tmp/in"), 1);
    EXPECT_THAT(said_, HasSubstr("bcast: h3: "));
    EXPECT_THAT(said_, HasSubstr(have_it_but(1)));
}

}  // namespace
}  // namespace trellis
