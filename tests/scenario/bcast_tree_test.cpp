// `bcast` of a directory with all that is in it, in the simulated world.
#include "tests/scenario/bcast_simulated.hpp"

#include <string>

#include <gmock/gmock.h>

namespace trellis {
namespace {

using ::testing::HasSubstr;

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
        const std::string broken_name = "/tmp/tree/sub dir/line\nbreak";
        EXPECT_TRUE(files(host).content(broken_name) == here.content(broken_name)) << host;
    }
}

// Under the name of the link, as cp(1) does.
TEST_F(BcastSimulated, SendsWhatALinkLeadsTo) {
    for (const char* giver : {"ctl", "h2"}) {
        files(giver).put_directory("/tmp/releases");
        files(giver).put("/tmp/releases/4.2", drawn_bytes(1'500'000), 0640);
        ASSERT_TRUE(files(giver).make_link("/tmp/releases/newest", "4.2"));
        ASSERT_TRUE(files(giver).make_link("/tmp/tool", "releases/newest"));
    }
    ASSERT_EQ(run("bcast /tmp/tool /home"), 0) << said_;
    ASSERT_EQ(run("bcast h2:/tmp/tool /home/again"), 0) << said_;
    ASSERT_EQ(run("gather h2:/tmp/tool /tmp/here"), 0) << said_;
    for (const std::string& host : hosts_) {
        EXPECT_EQ(files(host).link_status("/home/tool")->mode, 0640u) << host;
        EXPECT_TRUE(files(host).holds("/home/tool", drawn_bytes(1'500'000))) << host;
        EXPECT_EQ(files(host).holds("/home/again", drawn_bytes(1'500'000)), host != "h2") << host;
    }
    EXPECT_TRUE(files("ctl").holds("/tmp/here/h2/tool", drawn_bytes(1'500'000)));
    ASSERT_TRUE(files("ctl").make_link("/tmp/nowhere", "absent"));
    ASSERT_EQ(run("bcast /tmp/nowhere /home"), 1);
    EXPECT_THAT(said_, HasSubstr("/tmp/nowhere: No such file or directory"));
}

// Ten names of ten megabytes, thrice: there is room for three times ten.
TEST_F(BcastSimulated, SendsAFileOfManyNamesOnce) {
    sim::SimFiles& here = files("ctl");
    here.put_directory("/tmp/tree");
    here.put_directory("/tmp/tree/d");
    here.put("/tmp/tree/d/0", drawn_bytes(10'000'000), 0444);
    for (int i = 1; i < 10; ++i)
        ASSERT_TRUE(here.make_hard_link("/tmp/tree/" + std::to_string(i), "/tmp/tree/d/0"));
    for (const std::string& host : hosts_)
        files(host).set_capacity(31'000'000);
    ASSERT_EQ(run("bcast /tmp/tree /tmp"), 0) << said_;
    ASSERT_EQ(run("bcast --verify /tmp/tree /tmp/other"), 0) << said_;
    ASSERT_EQ(run("bcast h3:/tmp/tree/d /tmp/one"), 0) << said_;
    for (const std::string& host : hosts_) {
        const auto shared = files(host).footprint("/tmp/tree/d/0")->shared;
        ASSERT_TRUE(shared) << host;
        for (int i = 1; i < 10; ++i)
            EXPECT_EQ(files(host).footprint("/tmp/tree/" + std::to_string(i))->shared, shared) << host;
        EXPECT_TRUE(files(host).content("/tmp/tree/7") == here.content("/tmp/tree/7")) << host;
        EXPECT_EQ(files(host).link_status("/tmp/tree/7")->mode, 0444u) << host;
        const auto one = files(host).footprint("/tmp/one/0");
        EXPECT_EQ(one.has_value(), host != "h3") << host;
        EXPECT_FALSE(one && one->shared) << host;
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

TEST_F(BcastSimulated, AFileWhereADirectoryIsSentFailsThatHostAlone) {
    files("ctl").put_directory("/tmp/tree");
    files("ctl").put("/tmp/tree/a", "new");
    files("h3").put("/tmp/tree", "a file");
    EXPECT_EQ(run("bcast /tmp/tree /tmp"), 1);
    EXPECT_THAT(said_, HasSubstr("bcast: h3: /tmp/tree: it is no directory"));
    EXPECT_THAT(said_, HasSubstr(have_it_but(1)));
    EXPECT_EQ(files("h3").content("/tmp/tree"), "a file");
}

}  // namespace
}  // namespace trellis
