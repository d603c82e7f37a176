// `gather` from the shell's command line to the files of the user, in the simulated world.
#include "tests/scenario/sim_shell.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace trellis {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class GatherSimulated : public ::testing::Test {
  protected:
    GatherSimulated() : shell_(sim::many_hosts(4)) {
        EXPECT_EQ(shell_.explore_all(), 0) << shell_.said();
        (void)shell_.said();
    }
    [[nodiscard]] sim::SimFiles& files(const std::string& host) { return shell_.world().files(host); }
    int run(const std::string& line) {
        const int status = shell_.run(line).status;
        said_ = shell_.said();
        printed_ = shell_.printed();
        return status;
    }

    SimShell shell_;
    std::string said_, printed_;
};

TEST_F(GatherSimulated, PutsEachHostsFilesIntoItsOwnDirectory) {
    std::string large(3'000'001, 'x');
    large[2'500'000] = 'y';
    for (const char* host : {"h0", "h1", "h2", "h3"})
        files(host).put("/tmp/log", host + large, 0640);
    EXPECT_EQ(run("gather /tmp/log /tmp/here"), 0) << said_;
    for (const std::string host : {"h0", "h1", "h2", "h3"}) {
        EXPECT_TRUE(files("ctl").content("/tmp/here/" + host + "/log") == host + large) << host;
        EXPECT_EQ(files("ctl").status("/tmp/here/" + host + "/log")->mode, 0640u);
        EXPECT_EQ(files("ctl").status("/tmp/here/" + host)->mode, 0755u);  // by the umask
    }
    EXPECT_THAT(said_, HasSubstr("from 4 of 4 hosts: 4 files and directories, 12 MB in "));
}

TEST_F(GatherSimulated, TakesPatternsAndDirectoriesOfSomeHosts) {
    for (const char* host : {"h0", "h1"}) {
        files(host).put_directory("/tmp/logs");
        files(host).put("/tmp/logs/a.log", "a");
        files(host).put("/tmp/logs/b.log", "");
        files(host).put("/tmp/logs/.c.log", "hidden");
        files(host).put("/tmp/logs/d.txt", "d");
    }
    EXPECT_EQ(run("gather 'h[0-1]:/tmp/l*/*.log' h1:/tmp/logs /tmp"), 0) << said_;
    EXPECT_THAT(files("ctl").paths(),
                ElementsAre("/tmp/h0", "/tmp/h0/a.log", "/tmp/h0/b.log", "/tmp/h1", "/tmp/h1/a.log",
                            "/tmp/h1/b.log", "/tmp/h1/logs", "/tmp/h1/logs/.c.log", "/tmp/h1/logs/a.log",
                            "/tmp/h1/logs/b.log", "/tmp/h1/logs/d.txt"));
}

TEST_F(GatherSimulated, SaysWhoHasNoSuchFileAndTakesTheOthers) {
    files("h1").put("/tmp/log", "of h1");
    EXPECT_EQ(run("gather --json /tmp/log /tmp"), 1);
    EXPECT_THAT(said_, HasSubstr("gather: h[0,2-3]: /tmp/log: No such file or directory"));
    EXPECT_EQ(files("ctl").content("/tmp/h1/log"), "of h1");
    const auto json = nlohmann::json::parse(printed_);
    EXPECT_EQ(json["have"], 1);
    EXPECT_EQ(json["hosts"][1]["host"], "h1");
    EXPECT_EQ(json["hosts"][1]["bytes"], 5);
}

TEST_F(GatherSimulated, AHostThatDiesInTheMiddleLeavesNothingHalfWritten) {
    for (const char* host : {"h0", "h1", "h2", "h3"}) {
        files(host).put("/tmp/log", std::string(20'000'000, *(host + 1)));
        shell_.world().network().set_rate(host, 100e6);
    }
    auto& time = shell_.world().time();
    time.at(time.now() + std::chrono::seconds(1), [this] { shell_.world().kill("h2"); });
    EXPECT_EQ(run("gather /tmp/log /tmp"), 1);
    EXPECT_THAT(said_, HasSubstr("gather: h2: "));
    EXPECT_THAT(said_, HasSubstr("from 3 of 4 hosts: 3 files and directories"));
    EXPECT_TRUE(files("ctl").list("/tmp/h2")->empty());
    EXPECT_EQ(files("ctl").content("/tmp/h3/log"), std::string(20'000'000, '3'));
}

TEST_F(GatherSimulated, RefusesWhatMakesNoSense) {
    EXPECT_EQ(run("gather /tmp/log"), 2);
    EXPECT_EQ(run("gather h9:/tmp/log /tmp"), 2);
    EXPECT_THAT(said_, HasSubstr("h9 is none of the selected hosts"));
    files("ctl").put("/tmp/file", "");
    EXPECT_EQ(run("gather /tmp/log /tmp/file"), 2);
    EXPECT_THAT(said_, HasSubstr("it is no directory"));
    files("h0").put("/tmp/a", "");
    files("h0").put_directory("/tmp/d");
    files("h0").put("/tmp/d/a", "");
    EXPECT_EQ(run("gather h0:/tmp/a h0:/tmp/d/a /tmp"), 1);
    EXPECT_THAT(said_, HasSubstr("/tmp/d/a: another one of that name was given before"));
}

}  // namespace
}  // namespace trellis
