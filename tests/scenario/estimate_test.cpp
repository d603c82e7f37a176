// `estimate` from the shell's command line: of files, and what `estimate record` measures on simulated hosts.
#include "tests/scenario/sim_shell.hpp"
#include "tests/sim/topology_lab.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <unistd.h>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace trellis {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class EstimateCommandLine : public testing::Test {
  protected:
    void TearDown() override { std::filesystem::remove(path_); }
    void write(const std::string& text) { std::ofstream(path_, std::ios::binary) << text; }
    std::string file() {
        std::ostringstream text;
        text << std::ifstream(path_).rdbuf();
        return text.str();
    }
    std::size_t lines() {
        const std::string text = file();
        return static_cast<std::size_t>(std::ranges::count(text, '\n'));
    }

    SimShell shell_{sim::read_lab("two_switches_8")};
    std::string path_ =
        (std::filesystem::temp_directory_path() / ("trellis-estimate-" + std::to_string(::getpid()) + ".csv"))
            .string();
};

TEST_F(EstimateCommandLine, OfGivenDistributions) {
    write("a,pareto,41,27.7\nb,unit,40\n");
    ASSERT_EQ(shell_.run("estimate --model " + path_ + " --json").status, 0) << shell_.said();
    EXPECT_NEAR(nlohmann::json::parse(shell_.printed()).at("expected").get<double>(), 42.5356, 1e-3);
    ASSERT_EQ(shell_.run("estimate --closed-form --model " + path_).status, 0) << shell_.said();
    EXPECT_THAT(shell_.printed(), StartsWith("expected 42.536 ms\n"));
}

TEST_F(EstimateCommandLine, OfAHistory) {
    write("time,a,b\n0,1,2\n60,1.5,2\n120,1,2.5\n180,1,2\n");
    ASSERT_EQ(shell_.run("estimate --horizon 2m --from " + path_).status, 0) << shell_.said();
    EXPECT_THAT(shell_.printed(), HasSubstr("the median of Pareto"));
    ASSERT_EQ(shell_.run("estimate evaluate --windows 1,2 --horizons 1 " + path_).status, 0) << shell_.said();
    EXPECT_THAT(shell_.printed(), HasSubstr("RMSE in ms, all estimates"));
}

TEST_F(EstimateCommandLine, OptionsChangeWhatIsForeseen) {
    write("time,a,b\n0,1000,3000\n60,1000,3000\n");
    const auto expected = [&](const std::string& options) {
        const int status = shell_.run("estimate --json --unit us --from " + path_ + " " + options).status;
        EXPECT_EQ(status, 0) << shell_.said();
        return nlohmann::json::parse(shell_.printed()).at("expected").get<double>();
    };
    EXPECT_EQ(expected(""), 3);
    EXPECT_EQ(expected("--hosts a --method last"), 1);
    EXPECT_EQ(expected("--c 2"), 5);
    EXPECT_EQ(expected("--c a=7,b=0.5"), 8);
    EXPECT_EQ(expected("--op allreduce --method normal --window 1"), 6);
    EXPECT_EQ(expected("--closed-form --across-shifts --method pareto"), 3);
    EXPECT_EQ(expected("--published-truncation --independent --quantile 0.5 --method empirical"), 3);
    EXPECT_EQ(expected("--algorithm one-stage --root r --method ewma --horizon 1h"), 3);
}

TEST_F(EstimateCommandLine, DrawsAnEvaluation) {
    write("time,a,b\n0,1,2\n60,1.5,2\n120,1,2.5\n180,1,2\n240,1,2.5\n");
    const std::string picture = path_ + ".svg";
    const std::string evaluate =
        "estimate evaluate --json --hosts b --windows 2 --horizons 1 --skip 3 --plot ";
    ASSERT_EQ(shell_.run(evaluate + picture + " " + path_).status, 0) << shell_.said();
    EXPECT_EQ(nlohmann::json::parse(shell_.printed()).at("auto").at(0).at("count"), 2);
    EXPECT_TRUE(std::filesystem::remove(picture));
}

TEST_F(EstimateCommandLine, RefusesWhatMakesNoSense) {
    EXPECT_EQ(shell_.run("estimate").status, 2);
    EXPECT_THAT(shell_.said(), HasSubstr("--from FILE or --model FILE is needed"));
    EXPECT_EQ(shell_.run("estimate --from x --window 3").status, 2);
    EXPECT_EQ(shell_.run("estimate --model x --horizon 3s").status, 2);
    EXPECT_EQ(shell_.run("estimate --from x --quantile 1").status, 2);
    EXPECT_EQ(shell_.run("estimate --from /nowhere/x").status, 1);
    EXPECT_THAT(shell_.said(), HasSubstr("/nowhere/x: No such file or directory"));
    write("time,a\n0,1\n");
    EXPECT_EQ(shell_.run("estimate --bytes 1M --from " + path_).status, 1);
    EXPECT_THAT(shell_.said(), HasSubstr("run bwtree"));
    EXPECT_EQ(shell_.run("estimate record " + path_).status, 2);
    EXPECT_THAT(shell_.said(), HasSubstr("two selected hosts"));
}

TEST_F(EstimateCommandLine, RecordsRoundTripsAndGoesOn) {
    ASSERT_EQ(shell_.explore_all(), 0) << shell_.said();
    const std::string record = "estimate record --interval 1s --for 5s " + path_;
    ASSERT_EQ(shell_.run(record).status, 0) << shell_.said();
    EXPECT_EQ(lines(), 6u);
    std::ofstream(path_, std::ios::app) << "99999999999.0,1";  // as if it had been interrupted
    ASSERT_EQ(shell_.run(record).status, 0) << shell_.said();
    EXPECT_EQ(lines(), 11u);
    EXPECT_EQ(file().find(",,"), std::string::npos);
    ASSERT_EQ(shell_.run("estimate --json --from " + path_).status, 0) << shell_.said();
    const auto answer = nlohmann::json::parse(shell_.printed());
    EXPECT_EQ(answer.at("hosts").size(), 7u);
    EXPECT_GT(answer.at("expected").get<double>(), 0);
}

TEST_F(EstimateCommandLine, RecordsBetweenAllForOtherSchedules) {
    ASSERT_EQ(shell_.explore_all(), 0) << shell_.said();
    ASSERT_EQ(shell_.run("estimate record --between-all --for 3s " + path_).status, 0) << shell_.said();
    const std::string header = file().substr(0, file().find('\n'));
    EXPECT_EQ(std::ranges::count(header, ','), 8 * 7);
    const std::string root = header.substr(5, header.find("->") - 5);
    ASSERT_EQ(shell_.run("estimate --algorithm binomial --root " + root + " --from " + path_).status, 0)
        << shell_.said();
    EXPECT_EQ(shell_.run("estimate record --for 3s " + path_).status, 1);
    EXPECT_THAT(shell_.said(), HasSubstr("is the history of other hosts"));
}

TEST_F(EstimateCommandLine, AHostThatIsLostLeavesEmptyFields) {
    ASSERT_EQ(shell_.explore_all(), 0) << shell_.said();
    const auto& hosts = shell_.world().network().file().hosts;
    std::string victim;
    for (const auto& host : hosts)
        if (host.name != "ctl") victim = host.name;
    shell_.world().time().at(shell_.world().time().now() + std::chrono::seconds(4),
                             [this, victim] { shell_.world().kill(victim); });
    shell_.run("estimate record --for 60s " + path_);
    EXPECT_EQ(lines(), 61u);
    EXPECT_NE(file().find(",\n"), std::string::npos);
    EXPECT_EQ(shell_.run("estimate --from " + path_).status, 0) << shell_.said();
}

TEST_F(EstimateCommandLine, CtrlCEndsARecordingWithAWholeRow) {
    ASSERT_EQ(shell_.explore_all(), 0) << shell_.said();
    shell_.press_after(std::chrono::milliseconds(5500));
    EXPECT_EQ(shell_.run("estimate record " + path_).status, 130);
    EXPECT_THAT(shell_.said(), HasSubstr("interrupted"));
    EXPECT_GE(lines(), 4u);
    EXPECT_EQ(file().back(), '\n');
}

TEST_F(EstimateCommandLine, ARecordingEndsWithTheHostThatMeasures) {
    ASSERT_EQ(shell_.explore_all(), 0) << shell_.said();
    std::string victim;
    for (const auto& host : shell_.world().network().file().hosts)
        if (host.name != "ctl") victim = host.name;
    shell_.world().time().at(shell_.world().time().now() + std::chrono::seconds(4),
                             [this, victim] { shell_.world().kill(victim); });
    EXPECT_EQ(shell_.run("estimate record --for 30m --root " + victim + " " + path_).status, 1);
    EXPECT_THAT(shell_.said(), HasSubstr("estimate: no host is left that measures"));
    EXPECT_LT(lines(), 100u);
}

}  // namespace
}  // namespace trellis
