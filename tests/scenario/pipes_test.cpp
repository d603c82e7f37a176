// Standard input to all hosts, joined descriptors, terminals: the real shell over real agents, in virtual
// time.
#include "tests/scenario/sim_shell.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trellis {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

class Pipes : public testing::Test {
  protected:
    Pipes() { std::filesystem::create_directories(directory_); }
    ~Pipes() override { std::filesystem::remove_all(directory_); }
    void SetUp() override {
        ASSERT_EQ(shell_.explore_all(), 0);
        shell_.said();
    }

    [[nodiscard]] std::string file(const std::string& name) const { return (directory_ / name).string(); }
    [[nodiscard]] std::string contents(const std::string& name) const {
        std::stringstream text;
        text << std::ifstream(file(name)).rdbuf();
        return text.str();
    }
    // Lines that are all different.
    std::string write_lines(const std::string& name, int count) const {
        std::string text;
        for (int i = 0; i < count; ++i)
            text += "line " + std::to_string(i) + "\n";
        std::ofstream(file(name)) << text;
        return text;
    }
    // Calls it that long after now.
    void later(Duration after, std::function<void()> what) {
        sim::VirtualTime& time = shell_.world().time();
        time.at(time.now() + after, std::move(what));
    }
    [[nodiscard]] Duration timed(const std::string& line, int status) {
        const TimePoint begun = shell_.world().time().now();
        EXPECT_EQ(shell_.run(line).status, status) << line;
        return shell_.world().time().now() - begun;
    }
    // Each host's lines, in the order in which they stand in the file; every line is "HOST NUMBER".
    [[nodiscard]] std::map<std::string, std::vector<int>> numbers(const std::string& name) const {
        std::map<std::string, std::vector<int>> result;
        std::istringstream lines(contents(name));
        for (std::string line; std::getline(lines, line);) {
            const std::size_t blank = line.find(' ');
            if (blank == std::string::npos) {
                ADD_FAILURE() << "a broken line: " << line;
                continue;
            }
            result[line.substr(0, blank)].push_back(std::stoi(line.substr(blank + 1)));
        }
        return result;
    }

    std::filesystem::path directory_ =
        std::filesystem::temp_directory_path() / ("trellis-pipes-test-" + std::to_string(::getpid()));
    SimShell shell_{sim::many_hosts(8)};
};

TEST_F(Pipes, AFileGoesToAllHosts) {
    const std::string text = write_lines("in", 100000);
    EXPECT_EQ(shell_.run("e -o " + file("out") + " copy 0 1 < " + file("in")).status, 0);
    for (int i = 0; i < 8; ++i)
        EXPECT_EQ(contents("out/h" + std::to_string(i)), text);
    EXPECT_EQ(shell_.said(), "");
    std::ofstream(file("none")) << "";
    EXPECT_EQ(shell_.run("e -i copy 0 1 < " + file("none")).status, 0);
    EXPECT_EQ(shell_.printed(), "");
}

TEST_F(Pipes, WithoutInputACommandFindsItEmpty) {
    EXPECT_LT(timed("e copy 0 1", 0), seconds(1));
}

TEST_F(Pipes, AHostThatDiesDoesNotStopTheOthers) {
    const std::string text = write_lines("in", 400000);
    later(milliseconds(20), [this] { shell_.world().kill("h3"); });
    EXPECT_LT(timed("e -o " + file("out") + " copy 0 1 < " + file("in"), 1), seconds(10));
    for (int i = 0; i < 8; ++i)
        if (i != 3) {
            EXPECT_EQ(contents("out/h" + std::to_string(i)), text);
        }
    EXPECT_LT(contents("out/h3").size(), text.size());
    EXPECT_THAT(shell_.said(), HasSubstr("h3: lost"));
}

TEST_F(Pipes, ASilentHostStopsTheOthersNoLongerThanItsLease) {
    const std::string text = write_lines("in", 400000);
    later(milliseconds(20), [this] { shell_.world().stop("h3"); });
    EXPECT_LT(timed("e -o " + file("out") + " copy 0 1 < " + file("in"), 1), seconds(40));
    EXPECT_EQ(contents("out/h7"), text);
    EXPECT_THAT(shell_.said(), HasSubstr("h3: lost"));
}

TEST_F(Pipes, CommandsThatReadNothingOrLittleEndWhenTheyLike) {
    write_lines("in", 400000);
    EXPECT_LT(timed("e hostname < " + file("in"), 0), seconds(1));
    shell_.printed();
    EXPECT_LT(timed("e take 6 < " + file("in"), 0), seconds(1));
    EXPECT_THAT(shell_.printed(), HasSubstr("h4: line 0\n"));
    EXPECT_EQ(shell_.world().commands_running(), 0U);
}

TEST_F(Pipes, ASlowReaderLosesNothing) {
    const std::string text = write_lines("in", 200000);
    EXPECT_GT(timed("e -o " + file("out") + " 'sleep 3; copy 0 1' < " + file("in"), 0), seconds(3));
    EXPECT_EQ(contents("out/h5"), text);
}

TEST_F(Pipes, LinesOfAnyDescriptorAreJoinedWhole) {
    EXPECT_EQ(shell_
                  .run("e --up 4=" + file("joined") + " --up 7:" + file("seven") +
                       " 'lines 20000 4; lines 10 7; echo done'")
                  .status,
              0);
    EXPECT_THAT(shell_.printed(), HasSubstr("h2: done\n"));
    const auto joined = numbers("joined");
    ASSERT_EQ(joined.size(), 8U);
    for (const auto& [host, lines] : joined) {
        EXPECT_EQ(lines.size(), 20000U) << host;
        EXPECT_TRUE(std::is_sorted(lines.begin(), lines.end())) << host;
        EXPECT_EQ(std::adjacent_find(lines.begin(), lines.end()), lines.end()) << host;
    }
    EXPECT_EQ(numbers("seven").size(), 8U);
}

TEST_F(Pipes, BothDirectionsAtOnce) {
    const std::string text = write_lines("in", 50000);
    EXPECT_EQ(
        shell_.run("smask h[2-3]; e --down 3=" + file("in") + " --up 5=" + file("out") + " copy 3 5").status,
        0);
    std::istringstream lines(contents("out"));
    std::map<std::string, int> count;
    for (std::string line; std::getline(lines, line);)
        ++count[line];
    EXPECT_EQ(count.size(), 50000U);
    EXPECT_TRUE(std::all_of(count.begin(), count.end(), [](const auto& each) { return each.second == 2; }));
}

TEST_F(Pipes, AHostThatDiesTearsNoLine) {
    later(milliseconds(500), [this] { shell_.world().kill("h6"); });
    const std::string command = " 'lines 50000 4; sleep 1; lines 50000 4'";
    EXPECT_EQ(shell_.run("e --up 4=" + file("joined") + command).status, 1);
    for (const auto& [host, lines] : numbers("joined")) {
        EXPECT_EQ(lines.size(), host == "h6" ? 50000U : 100000U) << host;
        for (std::size_t i = 0; i < lines.size(); ++i)
            ASSERT_EQ(lines[i], static_cast<int>(i % 50000)) << host;
    }
}

TEST_F(Pipes, WhoWritesToAFullDiskIsToldAndSoAreTheProcesses) {
    EXPECT_LT(timed("e --up 4=/dev/full 'lines 1000000 4'", 1), seconds(2));
    const std::string said = shell_.said();
    EXPECT_THAT(said, HasSubstr("cannot write: No space left on device"));
    EXPECT_THAT(said, HasSubstr("h[0-7]: signal 13"));
}

TEST_F(Pipes, WhatCannotBeJoinedIsNamed) {
    const auto complaint = [this](const std::string& line) {
        EXPECT_NE(shell_.run(line).status, 0) << line;
        return shell_.said();
    };
    EXPECT_EQ(complaint("e --up 0 x"), "e: --up: a command does not write to its descriptor 0\n");
    EXPECT_EQ(complaint("e --down 2 x"), "e: --down: a command does not read from its descriptor 2\n");
    EXPECT_THAT(complaint("e --up 64 x"), HasSubstr("expected a descriptor below 64"));
    EXPECT_THAT(complaint("e --up 4= x"), HasSubstr("expected a descriptor below 64"));
    EXPECT_THAT(complaint("e --up 4=/a --down 4=/b x"), HasSubstr("descriptor 4 is joined twice"));
    EXPECT_THAT(complaint("e --down 3=/nowhere x"), HasSubstr("cannot open /nowhere"));
    EXPECT_THAT(complaint("e --up 60 x"), HasSubstr("descriptor 60 is not open here"));
    EXPECT_THAT(complaint("e x < /nowhere"), HasSubstr("cannot open /nowhere"));
    EXPECT_THAT(complaint("e copy 0 1 < /tmp"), HasSubstr("cannot read: Is a directory"));
    EXPECT_THAT(complaint("hosts < /dev/null"), HasSubstr("hosts: it reads no standard input"));
    EXPECT_THAT(complaint("e --pty x"), HasSubstr("exactly one selected host"));
    EXPECT_THAT(complaint("smask h1; e --pty x"), HasSubstr("--pty needs a terminal"));
    EXPECT_THAT(complaint("mw x"), HasSubstr("expected MASTER -- WORKER"));
    EXPECT_THAT(complaint("mw --up 4=0 --up 5=0 -- x -- y"),
                HasSubstr("MASTER's descriptor 0 is joined twice"));
    EXPECT_EQ(shell_.world().commands_running(), 0U);
}

}  // namespace
}  // namespace trellis
