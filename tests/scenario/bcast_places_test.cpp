// `bcast` and `gather` where something is already, or where files are not what one thinks, in the simulated
// world.
#include "tests/scenario/bcast_simulated.hpp"
#include "tests/scenario/environment_variable.hpp"

#include <cstdio>
#include <fstream>
#include <string>

#include <gmock/gmock.h>

namespace trellis {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::Not;

class BcastPlaces : public BcastSimulated {
  protected:
    // Two files, one of them in a directory; all are of this mode.
    void put_tree(const std::string& host, std::uint32_t file_mode = 0644,
                  std::uint32_t directory_mode = 0755) {
        files(host).put_directory("/tmp/tree");
        files(host).put_directory("/tmp/tree/sub");
        files(host).put("/tmp/tree/a", "new a", file_mode);
        files(host).put("/tmp/tree/sub/b", drawn_bytes(2'000'000), file_mode);
        set_mode(host, "/tmp/tree/sub", directory_mode);
    }
    void set_mode(const std::string& host, const std::string& path, std::uint32_t mode) {
        FileStatus status = *files(host).status(path);
        status.mode = mode;
        ASSERT_TRUE(files(host).set_metadata(path, status));
    }
    void expect_tree(const std::string& host) {
        EXPECT_TRUE(files(host).holds("/tmp/tree/a", "new a")) << host;
        EXPECT_TRUE(files(host).holds("/tmp/tree/sub/b", drawn_bytes(2'000'000))) << host;
    }
    void expect_no_parts() {
        for (const std::string& host : hosts_)
            for (const std::string& path : files(host).paths())
                EXPECT_THAT(path, Not(HasSubstr(".trellis-"))) << host;
    }
};

TEST_F(BcastPlaces, AServerOfFilesMayRefuseOnlyWhenAFileIsClosed) {
    put_tree("ctl");
    files("ctl").put("/tmp/big", drawn_bytes(5'000'000));
    for (const std::string source : {"/tmp/big", "/tmp/tree"}) {
        files("h4").set_capacity(1'000'000);
        files("h4").claim_free(9'000'000);
        files("h4").refuse_late();
        for (const std::string before : {"bcast ", "bcast --plain "}) {
            const std::string line = before + source;
            EXPECT_EQ(run(line + " /home"), 1);
            EXPECT_THAT(said_, HasSubstr(": Disk quota exceeded"));
            EXPECT_THAT(said_, HasSubstr("bcast: h4: /home" + source.substr(4)));
            EXPECT_THAT(said_, HasSubstr(have_it_but(1)));
            EXPECT_TRUE(files("h4").paths().empty()) << source;
        }
    }
}

TEST_F(BcastPlaces, ATreeOfReadOnlyDirectoriesCanBeSentTwice) {
    put_tree("ctl", 0444, 0555);
    for (int i = 0; i < 2; ++i) {
        ASSERT_EQ(run("bcast /tmp/tree /tmp"), 0) << said_;
        for (const std::string& host : hosts_) {
            expect_tree(host);
            EXPECT_EQ(files(host).status("/tmp/tree/sub")->mode, 0555u) << host;
        }
        expect_no_parts();
    }
}

TEST_F(BcastPlaces, ATildeIsTheHomeDirectory) {
    const EnvironmentVariable home("HOME", "/home/user");
    std::string order;
    for (const std::string& host : hosts_) {
        files(host).put_directory("/home/user");
        order.insert(0, host + "\n");
    }
    files("ctl").put_directory("/home/user");
    files("ctl").put("/home/user/a", "of ctl");
    files("ctl").put("/home/user/order", order);
    files("h3").put("/home/user/b", "of h3");
    EXPECT_EQ(run("bcast --order ~/order ~/a ~"), 0) << said_;
    EXPECT_EQ(run("bcast h3:~/b ~/copy"), 0) << said_;
    EXPECT_EQ(run("gather 'h4:~/c*' ~/got"), 0) << said_;
    for (const std::string& host : hosts_) {
        EXPECT_TRUE(files(host).holds("/home/user/a", "of ctl")) << host;
        EXPECT_TRUE(host == "h3" || files(host).holds("/home/user/copy", "of h3")) << host;
    }
    EXPECT_TRUE(files("ctl").holds("/home/user/got/h4/copy", "of h3"));
    EXPECT_EQ(run("bcast h3:~/none /tmp"), 1);
    EXPECT_THAT(said_, HasSubstr("/home/user/none: No such file or directory"));
}

// As where hosts share their files.
TEST_F(BcastPlaces, ADirectoryThatIsMadeMeanwhileIsMergedInto) {
    put_tree("ctl", 0644, 0555);
    files("h3").meanwhile([this] {
        files("h3").put_directory("/tmp/tree");
        files("h3").put_directory("/tmp/tree/sub");
        files("h3").put("/tmp/tree/other", "own");
    });
    ASSERT_EQ(run("bcast /tmp/tree /tmp"), 0) << said_;
    expect_tree("h3");
    EXPECT_TRUE(files("h3").holds("/tmp/tree/other", "own"));
    expect_no_parts();
}

TEST_F(BcastPlaces, WhatCannotBeMergedIsFoundBeforeAnythingIsTouched) {
    put_tree("ctl");
    files("h3").put_directory("/tmp/tree");
    files("h3").put("/tmp/tree/a", "old a");
    files("h3").put("/tmp/tree/sub", "a file");
    files("h5").put_directory("/tmp/tree");
    files("h5").put_directory("/tmp/tree/a");
    ASSERT_TRUE(files("h6").make_link("/tmp/tree", "nowhere"));
    EXPECT_EQ(run("bcast /tmp/tree /tmp"), 1);
    EXPECT_THAT(said_, HasSubstr("bcast: h3: /tmp/tree/sub: it is no directory"));
    EXPECT_THAT(said_, HasSubstr("bcast: h5: /tmp/tree/a: it is a directory"));
    EXPECT_THAT(said_, HasSubstr("bcast: h6: /tmp/tree: it is no directory"));
    EXPECT_TRUE(files("h3").holds("/tmp/tree/a", "old a"));
    EXPECT_EQ(files("h5").paths().size(), 2u);
    expect_no_parts();
}

TEST_F(BcastPlaces, WhatCouldNotBePutInItsPlaceIsPutThereLater) {
    put_tree("ctl", 0444);
    files("h3").put_directory("/tmp/tree");
    files("h3").put("/tmp/tree/sub", "a file");
    EXPECT_EQ(run("bcast --resume /tmp/tree /tmp"), 1);
    ASSERT_TRUE(files("h3").remove("/tmp/tree/sub"));
    EXPECT_EQ(run("bcast --resume /tmp/tree /tmp"), 0) << said_;
    for (const std::string& host : hosts_)
        expect_tree(host);
    expect_no_parts();
}

TEST_F(BcastPlaces, NobodyRunsWhatIsSomebodyElsesAsSomebodyElse) {
    for (const char* path : {"/tmp/mine", "/tmp/theirs"})
        files("ctl").put(path, "a program", 04755);
    files("ctl").give_away("/tmp/theirs");
    ASSERT_EQ(run("bcast /tmp/mine /tmp"), 0) << said_;
    ASSERT_EQ(run("bcast /tmp/theirs /tmp"), 0) << said_;
    EXPECT_EQ(files("h3").status("/tmp/mine")->mode, 04755u);
    EXPECT_EQ(files("h3").status("/tmp/theirs")->mode, 0755u);
}

TEST_F(BcastPlaces, AFileThatHidesItsSizeIsRefused) {
    for (const char* host : {"ctl", "h3"}) {
        files(host).put("/tmp/cpuinfo", "processor: 0");
        files(host).hide_size("/tmp/cpuinfo");
    }
    EXPECT_EQ(run("bcast /tmp/cpuinfo /home"), 1);
    EXPECT_THAT(said_, HasSubstr("/tmp/cpuinfo: says that it is empty, but holds something"));
    EXPECT_EQ(run("gather h3:/tmp/cpuinfo /tmp"), 1);
    EXPECT_THAT(said_, HasSubstr("h3: /tmp/cpuinfo: says that it is empty, but holds something"));
}

// Longer than a host may take that only looks at its destination.
TEST_F(BcastPlaces, AHostMayLookLongThroughWhatItGives) {
    const std::string content = drawn_bytes(3'000'000);
    files("h3").put("/tmp/big", content);
    files("h3").hang();
    after(seconds(25), [](sim::SimWorld& world) { world.files("h3").thaw(); });
    after(seconds(25) + microseconds(50), [](sim::SimWorld& world) { world.files("h3").hang(); });
    after(seconds(50), [](sim::SimWorld& world) { world.files("h3").thaw(); });
    EXPECT_EQ(run("bcast h3:/tmp/big /tmp"), 0) << said_;
    EXPECT_GT(took_, seconds(49));
    expect_everywhere("/tmp/big", content);
}

TEST_F(BcastPlaces, ASourceThatChangesBeforeItIsSentFailsEverywhere) {
    files("h3").put("/tmp/big", drawn_bytes(3'000'000));
    files("h3").hang();
    after(seconds(5), [](sim::SimWorld& world) { world.files("h3").thaw(); });
    after(seconds(5) + microseconds(50), [](sim::SimWorld& world) {
        world.files("h3").hang();
        world.files("h3").put("/tmp/big", drawn_bytes(3'000'001));
    });
    after(seconds(10), [](sim::SimWorld& world) { world.files("h3").thaw(); });
    EXPECT_EQ(run("bcast h3:/tmp/big /tmp"), 1);
    EXPECT_THAT(said_, HasSubstr("/tmp/big: changed before it was sent"));
    EXPECT_LT(took_, seconds(11));
    for (const std::string& host : hosts_)
        EXPECT_EQ(files(host).paths().size(), host == "h3" ? 1u : 0u) << host;
}

// What is gone by then cannot be read again; the others have it.
TEST_F(BcastPlaces, WhoFindsNobodyLacksStandardInputAlone) {
    for (const std::string& host : hosts_)
        world().login(host).answers = [host](const std::string& from) {
            return from == "ctl" ? host != "h5" : host != "h5" && from != "h5";
        };
    const std::string content = drawn_bytes(60'000'000);
    const std::string path = ::testing::TempDir() + "bcast_places_test.input";
    std::ofstream(path, std::ios::binary) << content;
    EXPECT_EQ(run("bcast --order name - /tmp/from_input < " + path), 1);
    std::remove(path.c_str());
    EXPECT_THAT(said_, HasSubstr("bcast: h5: standard input cannot be read a second time"));
    EXPECT_THAT(said_, HasSubstr(have_it_but(1)));
    expect_everywhere("/tmp/from_input", content, {"h5"});
    EXPECT_TRUE(files("h5").paths().empty());
}

TEST_F(BcastPlaces, KeepsToALowLimitOnADirectConnection) {
    const std::string content = drawn_bytes(300'000);
    files("ctl").put("/tmp/big", content);
    EXPECT_EQ(run("bcast --limit 50k /tmp/big /tmp"), 0) << said_;
    EXPECT_THAT(said_, Not(HasSubstr("over the control tree")));
    expect_everywhere("/tmp/big", content);
    EXPECT_GT(took_, milliseconds(5800));
    EXPECT_LT(took_, milliseconds(6400));
}

TEST_F(BcastPlaces, TheOrderMayStandInAFileThatALinkLeadsTo) {
    files("ctl").put("/tmp/big", "small");
    files("ctl").put("/tmp/orders", "h1\nh0\n");
    ASSERT_TRUE(files("ctl").make_link("/tmp/order", "orders"));
    EXPECT_EQ(run("bcast --order /tmp/order /tmp/big /tmp"), 2);
    EXPECT_THAT(said_, HasSubstr("--order /tmp/order: h2 is not in it"));
}

TEST_F(BcastPlaces, GathersAFileWithHolesWhereThereIsRoomForItsContents) {
    const std::string content = std::string(8'000'000, '\0') + drawn_bytes(1'000'000);
    files("h3").put("/tmp/core", content);
    files("ctl").claim_free(5'000'000);
    EXPECT_EQ(run("gather h3:/tmp/core /tmp/here"), 0) << said_;
    EXPECT_TRUE(files("ctl").holds("/tmp/here/h3/core", content));
}

TEST_F(BcastPlaces, GathersBesideAFileThatIsThePatternsBeginning) {
    files("h3").put("/tmp/run", "a program");
    for (const char* directory : {"/tmp/run1", "/tmp/run2"}) {
        files("h3").put_directory(directory);
        files("h3").put(std::string(directory) + "/" + (directory + 5) + ".log", "log");
    }
    EXPECT_EQ(run("gather 'h3:/tmp/run*/*.log' /tmp/here"), 0) << said_;
    EXPECT_TRUE(files("ctl").has("/tmp/here/h3/run1.log"));
    EXPECT_TRUE(files("ctl").has("/tmp/here/h3/run2.log"));
}

TEST_F(BcastPlaces, WhatAnEarlierOneLeftIsNotInTheWay) {
    files("h3").put("/tmp/log", "log");
    files("ctl").put_directory("/tmp/here");
    files("ctl").put_directory("/tmp/here/h3");
    files("ctl").put("/tmp/here/h3/.log.trellis-h3-1", "lo");
    EXPECT_EQ(run("gather h3:/tmp/log /tmp/here"), 0) << said_;
    EXPECT_EQ(run("gather h3:/ /tmp/here"), 1);
    EXPECT_THAT(said_, HasSubstr("h3: /: it has no name to gather it under"));
}

}  // namespace
}  // namespace trellis
