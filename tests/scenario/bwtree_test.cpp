// `bwtree` from the shell's command line to the roles on the hosts, in the simulated world: what it finds,
// how long that takes, and what becomes of it when hosts die.
#include "agentd/model/bandwidth_value.hpp"
#include "agentd/model/directed_paths.hpp"
#include "agentd/model/topology_query.hpp"
#include "tests/scenario/sim_shell.hpp"
#include "tests/sim/effort.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace trellis {
namespace {

using Kind = LinkBandwidth::Kind;
using std::chrono::milliseconds;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

// A trunk that is faster than a card, an asymmetric one, one that the hosts cannot fill, cards of five rates.
constexpr const char* uneven = R"(
switch core
switch t0 core rate=1gbit delay=50us queue=512k
switch t1 core rate=200mbit down=100mbit delay=50us queue=512k
switch t2 core rate=4gbit delay=50us queue=512k
hosts a%02d 0 5 t0 10.1.0.1 rate=300mbit delay=10us queue=512k
hosts b%02d 0 3 t1 10.2.0.1 rate=300mbit down=150mbit delay=10us queue=512k
hosts c%02d 0 5 t2 10.3.0.1 rate=300mbit delay=10us queue=512k
host d00 t2 10.4.0.1 rate=50mbit delay=10us queue=512k
host ctl core 10.9.0.1 rate=10gbit delay=10us
)";

// A session that knows the tree of its hosts.
class MeasuredTree {
  public:
    explicit MeasuredTree(lab::TopologyFile file, std::uint64_t seed = 1) : shell_(std::move(file), seed) {
        EXPECT_EQ(shell_.explore_all(), 0) << shell_.said();
        EXPECT_EQ(shell_.run("infer --seed 1").status, 0) << shell_.said();
        shell_.printed();
        shell_.said();
    }
    // Its exit status.
    int run(const std::string& line = "bwtree") {
        const TimePoint begun = shell_.world().time().now();
        const int status = shell_.run(line).status;
        took_ = shell_.world().time().now() - begun;
        said_ = shell_.said();
        printed_ = shell_.printed();
        return status;
    }
    // Of the n-th link on the way from one host to another.
    [[nodiscard]] LinkBandwidth on_way(const std::string& from, const std::string& to, std::size_t n) {
        const TopologyBandwidth& found = tree();
        const auto a = find_node(found.topology, from), b = find_node(found.topology, to);
        const DirectedLink link = DirectedPaths(found.topology).path(a.value(), b.value()).at(n);
        return found.links[link_of(link)][link % 2];
    }
    void expect_measured(const std::string& from, const std::string& to, std::size_t n, double rate) {
        const LinkBandwidth found = on_way(from, to, n);
        EXPECT_EQ(found.kind, Kind::measured) << from << " to " << to << ", link " << n;
        EXPECT_NEAR(found.bits_per_second, rate, 0.1 * rate) << from << " to " << to << ", link " << n;
        EXPECT_GT(found.standard_error, 0);
    }
    [[nodiscard]] const TopologyBandwidth& tree() {
        value_ = shell_.bandwidth();
        return value_->tree();
    }
    [[nodiscard]] SimShell& shell() { return shell_; }
    [[nodiscard]] Duration took() const { return took_; }
    [[nodiscard]] const std::string& said() const { return said_; }
    [[nodiscard]] const std::string& printed() const { return printed_; }

  private:
    SimShell shell_;
    std::shared_ptr<const BandwidthValue> value_;
    Duration took_{0};
    std::string said_, printed_;
};

TEST(BwtreeSimulated, FindsTheRateOfEachLinkThatTheHostsCanFill) {
    MeasuredTree measured(sim::parse_lab(uneven));
    ASSERT_EQ(measured.run(), 0) << measured.said();
    for (const std::string host : {"a00", "a05", "c00", "c05"}) {
        measured.expect_measured(host, "b00", 0, 300e6);
        measured.expect_measured("b00", host, 3, 300e6);
    }
    measured.expect_measured("b03", "a00", 0, 300e6);
    measured.expect_measured("a00", "b03", 3, 150e6);
    measured.expect_measured("d00", "a00", 0, 50e6);
    measured.expect_measured("a00", "d00", 3, 50e6);
    measured.expect_measured("a00", "b00", 1, 1e9);
    measured.expect_measured("b00", "a00", 2, 1e9);
    measured.expect_measured("b00", "a00", 1, 200e6);
    measured.expect_measured("a00", "b00", 2, 100e6);
    const LinkBandwidth wide = measured.on_way("c00", "a00", 1);
    EXPECT_EQ(wide.kind, Kind::at_least);
    EXPECT_GT(wide.bits_per_second, 900e6);
}

TEST(BwtreeSimulated, AnswersForAPairWithTheLeastOfItsLinks) {
    MeasuredTree measured(sim::parse_lab(uneven));
    ASSERT_EQ(measured.run(), 0) << measured.said();
    ASSERT_EQ(measured.run("bwtree query a00 b00"), 0);
    EXPECT_THAT(measured.printed(), ContainsRegex("a00 to b00: (9[0-9]\\.[0-9]|10[0-9]) Mbit/s ± "));
    EXPECT_THAT(measured.printed(), ContainsRegex("b00 to a00: (19[0-9]|20[0-9]) Mbit/s ± "));
    EXPECT_EQ(measured.run("bwtree query a00 nobody"), 2);
    EXPECT_THAT(measured.said(), HasSubstr("nobody is no host of this topology"));
}

TEST(BwtreeSimulated, BcastIsSentEvenlyForTheSlowestLinkOfTheChain) {
    MeasuredTree measured(sim::parse_lab(uneven));
    ASSERT_EQ(measured.run(), 0) << measured.said();
    measured.shell().world().files("ctl").put("/tmp/file", "content");
    ASSERT_EQ(measured.run("bcast /tmp/file /tmp"), 0) << measured.said();
    EXPECT_THAT(measured.said(), ContainsRegex("sent evenly for the slowest link .*, (4[5-9]|5[0-5])"));
    ASSERT_EQ(measured.run("bcast a00:/tmp/file /tmp/again"), 0) << measured.said();
    EXPECT_THAT(measured.said(), ContainsRegex("sent evenly for the slowest link .*, (4[5-9]|5[0-5])"));
    ASSERT_EQ(measured.run("bcast --method flat /tmp/file /tmp/other"), 0) << measured.said();
    EXPECT_THAT(measured.said(), Not(HasSubstr("evenly")));
}

TEST(BwtreeSimulated, ThePublishedMethodTakesTheRateOfAPairForBothLinks) {
    MeasuredTree measured(sim::read_lab("four_switches_16"));
    ASSERT_EQ(measured.run("bwtree --method published"), 0) << measured.said();
    measured.expect_measured("a00", "b00", 0, 500e6);
    measured.expect_measured("a00", "b00", 1, 500e6);  // a card is in the way of 1 Gbit/s
    EXPECT_EQ(measured.on_way("a00", "b00", 1), measured.on_way("b00", "a00", 1));
}

TEST(BwtreeSimulated, DrawsTheTreeWithAFigureForEachDirectionWhereTheyDiffer) {
    MeasuredTree measured(sim::parse_lab(uneven));
    ASSERT_EQ(measured.run(), 0) << measured.said();
    const std::string tree = measured.printed();
    EXPECT_THAT(tree, ContainsRegex("a\\[00-05\\].*6 hosts, (29|30)[0-9] Mbit/s ± "));
    EXPECT_THAT(tree, ContainsRegex("b\\[00-03\\].*4 hosts, -> (29|30)[0-9] Mbit/s.*, <- 1[45][0-9] Mbit/s"));
    EXPECT_THAT(tree, ContainsRegex("-> (19|20)[0-9] Mbit/s ± [0-9.]+, <- (9[5-9].[0-9]|10[0-5]) Mbit/s"));
    EXPECT_THAT(tree, ContainsRegex(">= 1\\.[0-9]+ Gbit/s"));
    ASSERT_EQ(measured.run("show bandwidth"), 0);
    EXPECT_EQ(measured.printed(), tree);
    ASSERT_EQ(measured.run("topology view"), 0) << measured.said();
    EXPECT_THAT(measured.printed(), HasSubstr(" Mbit/s ± "));
}

TEST(BwtreeSimulated, ItsJsonIsTheBandwidthOfEachDirectionOfEachLink) {
    MeasuredTree measured(sim::parse_lab(uneven));
    ASSERT_EQ(measured.run("bwtree --json"), 0) << measured.said();
    const auto json = nlohmann::json::parse(measured.printed());
    EXPECT_EQ(json.at("format"), "trellis-bandwidth");
    EXPECT_EQ(json.at("topology").at("format"), "trellis-topology");
    const auto& links = measured.tree().links;
    ASSERT_EQ(json.at("links").size(), links.size());
    std::set<std::string> kinds;
    for (std::size_t i = 0; i < links.size(); ++i)
        for (const std::size_t way : {0u, 1u}) {
            const auto& one = json["links"][i].at(way == 0 ? "a_to_b" : "b_to_a");
            EXPECT_EQ(one.at("bits_per_second"), links[i][way].bits_per_second);
            EXPECT_EQ(one.at("standard_error"), links[i][way].standard_error);
            kinds.insert(one.at("kind"));
        }
    EXPECT_EQ(kinds, (std::set<std::string>{"at least", "measured"}));
    ASSERT_EQ(measured.run("bwtree query --json a00 b00"), 0);
    EXPECT_NEAR(nlohmann::json::parse(measured.printed()).at("b_to_a").at("bits_per_second").get<double>(),
                200e6, 20e6);
}

// 12.5 MB are on the way at once, more than a window.
TEST(BwtreeSimulated, SeveralStreamsFillALongWay) {
    MeasuredTree measured(sim::parse_lab(R"(
switch west
switch east west rate=1gbit delay=50ms queue=4m
hosts a%02d 0 3 west 10.1.0.1 rate=1gbit delay=10us queue=1m
hosts b%02d 0 3 east 10.2.0.1 rate=1gbit delay=10us queue=1m
host ctl west 10.9.0.1 rate=10gbit delay=10us
)"));
    ASSERT_EQ(measured.run(), 0) << measured.said();
    measured.expect_measured("a00", "b00", 0, 1e9);
    measured.expect_measured("a00", "b00", 1, 1e9);
    measured.expect_measured("b00", "a00", 1, 1e9);
}

// The published method took 27 to 30 s for such a network.
TEST(BwtreeSimulated, TakesTenSecondsFor256HostsInFourClusters) {
    MeasuredTree measured(sim::read_lab("four_clusters_256"));
    ASSERT_EQ(measured.run(), 0) << measured.said();
    EXPECT_LE(measured.took(), std::chrono::seconds(10)) << measured.said();
    testing::Test::RecordProperty("took_ms", static_cast<int>(measured.took() / milliseconds(1)));
    for (const std::string host : {"a00", "b17", "c40", "d63"}) {
        const std::string other = host == "a00" ? "d00" : "a00";
        measured.expect_measured(host, other, 0, 100e6);
        measured.expect_measured(host, other, 1, 1e9);
        measured.expect_measured(host, other, 2, 500e6);
        measured.expect_measured(other, host, 3, 500e6);
        measured.expect_measured(other, host, 4, 1e9);
    }
}

TEST(BwtreeSimulated, AsksForATopologyOfTheseHosts) {
    SimShell shell(sim::read_lab("two_switches_8"));
    ASSERT_EQ(shell.explore_all(), 0);
    shell.said();
    EXPECT_EQ(shell.run("bwtree").status, 2);
    EXPECT_THAT(shell.said(), HasSubstr("bwtree needs a topology of these hosts: run infer"));
    EXPECT_EQ(shell.run("bwtree query a00 b00").status, 2);
    EXPECT_THAT(shell.said(), HasSubstr("no bandwidth is known: run bwtree"));
    EXPECT_EQ(shell.run("bwtree --budget lots").status, 2);
    EXPECT_THAT(shell.said(), HasSubstr("--budget lots: not a number of bytes"));
}

TEST(BwtreeSimulated, ThePlanIsToldWithoutMeasuring) {
    MeasuredTree measured(sim::read_lab("four_switches_16"));
    ASSERT_EQ(measured.run("bwtree --plan"), 0) << measured.said();
    EXPECT_THAT(measured.printed(), ContainsRegex("about [0-9]+ rounds, [0-9.]+ [GM]B"));
    EXPECT_FALSE(measured.shell().bandwidth());
}

TEST(BwtreeSimulated, SendsNoMoreThanItsBudget) {
    MeasuredTree measured(sim::read_lab("four_switches_16"));
    std::size_t before = 0, after = 0;
    const auto received = [&] {
        std::size_t sum = 0;
        for (sim::MachineIndex i = 0; i < measured.shell().world().network().file().hosts.size(); ++i)
            sum += measured.shell().world().network().received_bytes(i);
        return sum;
    };
    before = received();
    EXPECT_EQ(measured.run("bwtree --budget 60M"), 1);
    after = received();
    EXPECT_THAT(measured.said(), HasSubstr("the budget is spent"));
    EXPECT_GT(after - before, 20'000'000u);
    EXPECT_LT(after - before, 63'000'000u);  // with what the control tree carries
}

TEST(BwtreeSimulated, WhatHappensToAHostDoesNotKeepTheOthers) {
    constexpr std::array begins{200, 0, 30, 700, 1500};  // ms
    for (const int after : std::span(begins).first(sim::effort(begins.size(), 2))) {
        for (const bool dies : {true, false}) {
            MeasuredTree measured(sim::read_lab("four_switches_16"));
            auto& world = measured.shell().world();
            world.time().at(world.time().now() + milliseconds(after),
                            [&world, dies] { dies ? world.crash("d03") : world.stop("d03"); });
            EXPECT_EQ(measured.run(), 1) << after;
            EXPECT_THAT(measured.said(), HasSubstr("bwtree: d03: "));
            measured.expect_measured("a00", "d00", 0, 500e6);
            measured.expect_measured("d00", "a00", 0, 500e6);
            EXPECT_LT(measured.took(), std::chrono::seconds(60));
            ASSERT_FALSE(HasFailure()) << "after " << after << " ms, dies " << dies;
        }
    }
}

// As when its words to the shell are lost among what is sent to measure.
TEST(BwtreeSimulated, AHostThatIsHeardAgainIsMeasured) {
    MeasuredTree measured(sim::read_lab("four_switches_16"));
    auto& world = measured.shell().world();
    const TimePoint begin = world.time().now();
    world.time().at(begin + milliseconds(200), [&world] { world.stop("d03"); });
    world.time().at(begin + milliseconds(3800), [&world] { world.resume("d03"); });
    EXPECT_EQ(measured.run(), 0) << measured.said();
    EXPECT_GT(measured.took(), milliseconds(3000));
    measured.expect_measured("d03", "a00", 0, 500e6);
}

struct Truth {
    std::string from, to;
    std::size_t link;  // on the way
    double rate;
};

void expect_no_wrong_figure(MeasuredTree& measured, const std::vector<Truth>& links) {
    for (const auto& [from, to, link, rate] : links) {
        const LinkBandwidth found = measured.on_way(from, to, link);
        EXPECT_LT(found.bits_per_second, 1.1 * rate) << from << " to " << to << ", link " << link;
        if (found.kind == Kind::measured) {
            EXPECT_GT(found.bits_per_second, 0.9 * rate) << from << " to " << to << ", link " << link;
        }
    }
}

// For as long as TCP needs to repeat a word, or long enough to be taken for gone.
TEST(BwtreeSimulated, AHostThatStandsStillMakesNoWrongFigure) {
    const std::vector<Truth> links{
        {"a00", "b00", 0, 300e6}, {"a00", "b00", 1, 1e9},   {"a00", "b00", 2, 100e6},
        {"a00", "b00", 3, 150e6}, {"b00", "a00", 0, 300e6}, {"b00", "a00", 1, 200e6},
        {"b00", "a00", 2, 1e9},   {"b00", "a00", 3, 300e6}, {"a01", "b01", 0, 300e6},
        {"b01", "a01", 3, 300e6}, {"d00", "a00", 0, 50e6},  {"a00", "d00", 3, 50e6}};
    struct Standstill {
        std::string host;
        int begin, length;  // ms
    };
    const std::vector<Standstill> all{{"b00", 37, 260},   {"a00", 100, 260},  {"b00", 650, 260},
                                      {"a00", 400, 3600}, {"a00", 900, 3600}, {"c00", 925, 170}};
    for (const Standstill& one : std::span(all).first(sim::effort(all.size(), 3))) {
        SCOPED_TRACE(one.host + " after " + std::to_string(one.begin) + " ms");
        MeasuredTree measured(sim::parse_lab(uneven));
        auto& world = measured.shell().world();
        const TimePoint at = world.time().now() + milliseconds(one.begin);
        world.time().at(at, [&] { world.stop(one.host); });
        world.time().at(at + milliseconds(one.length), [&] { world.resume(one.host); });
        (void)measured.run();
        expect_no_wrong_figure(measured, links);
    }
}

TEST(BwtreeSimulated, OneSeedGivesOneResult) {
    const auto measure = [] {
        MeasuredTree measured(sim::parse_lab(uneven), 5);
        EXPECT_EQ(measured.run(), 0);
        return measured.tree();
    };
    EXPECT_EQ(measure(), measure());
}

}  // namespace
}  // namespace trellis
