// Answers: one stage, other schedules, shared links, transfers, given distributions, and options.
#include "plugins/estimate/estimation.hpp"

#include "plugins/estimate/collective/shared_links.hpp"
#include "plugins/estimate/model/maximum.hpp"
#include "plugins/estimate/option_text.hpp"

#include <cmath>
#include <numeric>
#include <random>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace trellis::plugins::estimate {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Result<Answer> ask_model(std::string_view model, const Question& question = {},
                         const Topology* topology = nullptr, const Transfers& transfers = {}) {
    return Estimation(question, topology, transfers).of_model(parse_model(model).value());
}

Result<Answer> ask_history(const History& history, const Question& question = {},
                           const Topology* topology = nullptr) {
    return Estimation(question, topology, Transfers()).of_history(history);
}

// r and a on s0, b and c on s1.
Topology two_switches() {
    Topology topology;
    topology.hosts = {"r", "a", "b", "c"};
    topology.switches = {"s0", "s1"};
    topology.links = {
        {0, 4, Delay(100)}, {1, 4, Delay(100)}, {2, 5, Delay(100)}, {3, 5, Delay(100)}, {4, 5, Delay(1000)}};
    return topology;
}

TEST(Estimation, OfGivenDistributionsIsTheMaximum) {
    const Answer answer = ask_model("host,model,p1,p2,p3\na,unit,3,,\nb,unit,5\n").value();
    EXPECT_EQ(answer.expected, 5);
    EXPECT_EQ(answer.quantiles.size(), 3u);
    Question question;
    question.own_c["a"] = 4;
    question.rounds = 2;
    EXPECT_EQ(ask_model("a,unit,3\nb,unit,5\n", question)->expected, 14);
    question.hosts = {"b"};
    EXPECT_EQ(ask_model("a,unit,3\nb,unit,5\n", question)->expected, 10);
    question.hosts = {"z"};
    EXPECT_EQ(ask_model("a,unit,3\n", question).error().cause, "no distribution for host z");
    EXPECT_THAT(ask_model("a,pareto,3,1\n").error().cause, HasSubstr("diverges"));
}

TEST(Estimation, ModelFilesSayWhatIsWrong) {
    const auto cause = [](std::string_view text) { return parse_model(text).error().cause; };
    EXPECT_EQ(cause("a,pareto,1\n"), "line 1: pareto takes 2 parameters");
    EXPECT_EQ(cause("a,weibull,1\n"),
              "line 1, field 2: 'weibull' is no model: pareto, normal, unit or truncated");
    EXPECT_EQ(cause("a,normal,1,0\n"), "line 1: sigma is not above 0");
    EXPECT_EQ(cause("a,normal,1,x\n"), "line 1, field 4: no number");
    EXPECT_EQ(cause("a,unit,1\na,unit,2\n"), "line 2: this host comes twice");
    EXPECT_EQ(cause("# nothing\n"), "no line: HOST,MODEL,PARAMETERS is expected");
}

TEST(Estimation, SchedulesSendInTurn) {
    EXPECT_THAT(binomial(4), ElementsAre(Send{0, 1}, Send{0, 2}, Send{1, 3}, Send{0, 4}));
    EXPECT_THAT(chain(2), ElementsAre(Send{0, 1}, Send{1, 2}));
    const std::vector<std::vector<std::size_t>> clusters{{1}, {2, 3}};
    EXPECT_THAT(clustered(clusters), ElementsAre(Send{0, 2}, Send{0, 1}, Send{2, 3}));
}

TEST(Estimation, OtherSchedulesAddWhatTheTopologySays) {
    const Topology topology = two_switches();
    const std::string_view model = "a,unit,0.4\nb,unit,2.4\nc,unit,2.4\n";
    Question question;
    question.root = "r";
    question.algorithm = Algorithm::chain;
    // r-a 0.4, a-b 2.4, b-c 0.4.
    EXPECT_NEAR(ask_model(model, question, &topology)->expected, 3.2, 1e-9);
    question.algorithm = Algorithm::tree;
    EXPECT_NEAR(ask_model(model, question, &topology)->expected, 2.8, 1e-9);
    EXPECT_THAT(ask_model(model, question).error().cause, HasSubstr("run infer"));
    question.algorithm = Algorithm::binomial;
    EXPECT_THAT(ask_model(model, question).error().cause, HasSubstr("round trips from a to c"));
}

TEST(Estimation, OtherSchedulesUseRecordedPairs) {
    const History history = parse_history("time,r->a,r->b,a->b\n0,1,9,2\n1,1,9,2\n").value();
    Question question;
    question.root = "r";
    question.algorithm = Algorithm::chain;
    EXPECT_NEAR(ask_history(history, question)->expected, 3, 1e-9);
}

TEST(Estimation, TransfersTakeTurnsAtTheSender) {
    const nlohmann::json bandwidth = nlohmann::json::parse(R"({
        "topology": {"format": "trellis-topology", "version": 1, "hosts": ["r", "a", "b"], "switches": ["s"],
            "links": [{"a": "r", "b": "s", "delay_us": 1}, {"a": "a", "b": "s", "delay_us": 1},
                      {"a": "b", "b": "s", "delay_us": 1}]},
        "links": [{"a": "r", "b": "s", "a_to_b": {"bits_per_second": 8e6}, "b_to_a": {}},
                  {"a": "a", "b": "s", "a_to_b": {}, "b_to_a": {"bits_per_second": 4e6}},
                  {"a": "b", "b": "s", "a_to_b": {}, "b_to_a": {}}]})");
    const auto transfers = Transfers::from_json(bandwidth, 1000);
    ASSERT_TRUE(transfers) << transfers.error().cause;
    EXPECT_NEAR(transfers->time("r", "a").value(), 2, 1e-12);
    EXPECT_NEAR(transfers->time("r", "b").value(), 1, 1e-12);
    EXPECT_FALSE(transfers->time("r", "z"));
    Question question;
    question.root = "r";
    question.bytes = 1000;
    EXPECT_NEAR(ask_model("a,unit,5\nb,unit,5\n", question, nullptr, *transfers)->expected, 8, 1e-9);
    EXPECT_FALSE(Transfers::from_json(nlohmann::json::object(), 1));
}

// Both hosts behind one link are delayed there at the same times.
History delayed_together() {
    std::mt19937_64 engine(9);
    History history;
    history.columns = {"a", "b", "c"};
    history.round_trips.resize(3);
    for (int row = 0; row < 400; ++row) {
        history.times.push_back(row);
        const double shared = engine() % 10 == 0 ? 20 : 0;
        history.round_trips[0].push_back(1 + static_cast<double>(engine() % 100) / 1e3);
        history.round_trips[1].push_back(5 + static_cast<double>(engine() % 100) / 1e3 + shared);
        history.round_trips[2].push_back(5 + static_cast<double>(engine() % 100) / 1e3 + shared);
    }
    return history;
}

TEST(Estimation, SharedLinksCountOnce) {
    const Topology topology = two_switches();
    const History history = delayed_together();
    const SharedParts parts = split_shared(history, topology, "r");
    ASSERT_EQ(parts.links.size(), 2u);  // the root's own, and that between the switches
    EXPECT_EQ(parts.links[0].behind, "s0");
    EXPECT_LT(std::ranges::max(parts.links[0].excess), 0.1);
    EXPECT_EQ(parts.links[1].behind, "s1");
    EXPECT_NEAR(std::ranges::max(parts.links[1].excess), 20, 0.2);
    Question question;
    question.root = "r";
    question.method = Method::empirical;
    const std::vector<double> maxima = row_maxima(history);
    const double truth = std::accumulate(maxima.begin(), maxima.end(), 0.0) / 400;
    const Answer shared = ask_history(history, question, &topology).value();
    EXPECT_NEAR(shared.expected, truth, 0.15);
    EXPECT_THAT(shared.remarks, Contains(HasSubstr("the link to s1 is shared by 2 hosts")));
    question.independent = true;
    EXPECT_GT(ask_history(history, question, &topology)->expected, truth + 1);
}

TEST(Estimation, DrawsByLotWhatItCanAlsoIntegrate) {
    Collective collective;
    const std::vector<Distribution> hosts(8, {Pareto{41, 20}});
    collective.schedule = one_stage(8);
    for (const Distribution& host : hosts)
        collective.costs.push_back({host, {}, 0});
    collective.nodes = 9;
    const std::vector<double> taken = simulate(collective);
    const double mean = std::accumulate(taken.begin(), taken.end(), 0.0) / static_cast<double>(taken.size());
    EXPECT_NEAR(mean, Maximum(hosts).expectation().value(), 0.1);
    EXPECT_EQ(taken, simulate(collective));
}

TEST(Estimation, TellsHowSureItIs) {
    const History history = delayed_together();
    Question question;
    question.method = Method::normal;
    const Answer answer = ask_history(history, question).value();
    ASSERT_TRUE(answer.interval);
    EXPECT_LT(answer.interval->low, answer.expected);
    EXPECT_GT(answer.interval->high, answer.expected);
    EXPECT_TRUE(answer.quantiles[0].interval);
    question.method = Method::last;
    EXPECT_FALSE(ask_history(history, question)->interval);
}

TEST(Estimation, TakesHistoriesOfOneRowAndLeavesOutTheSilent) {
    const Answer answer = ask_history(parse_history("time,a,b\n0,3,\n").value()).value();
    EXPECT_EQ(answer.expected, 3);
    EXPECT_THAT(answer.remarks, ElementsAre("b: every sample was lost; it is left out"));
    EXPECT_EQ(ask_history(parse_history("time,b\n0,\n").value()).error().cause, "every sample was lost");
}

TEST(EstimateOptions, ReadSeriesAndDurations) {
    EXPECT_THAT(read_series("2,4,...,16").value(), ElementsAre(2, 4, 8, 16));
    EXPECT_THAT(read_series("1,2,4,...,16,20").value(), ElementsAre(1, 2, 4, 8, 16, 20));
    EXPECT_THAT(read_series("10,15,...,25").value(), ElementsAre(10, 15, 20, 25));
    EXPECT_THAT(read_series("7").value(), ElementsAre(7));
    for (const char* wrong : {"", "0", "4,2", "1,...,3", "2,4,...", "x", "1.5"})
        EXPECT_FALSE(read_series(wrong)) << wrong;
    EXPECT_EQ(read_seconds("10m").value(), 600);
    EXPECT_EQ(read_seconds("500ms").value(), 0.5);
    EXPECT_EQ(read_seconds("3").value(), 3);
    for (const char* wrong : {"", "0", "-1s", "1y"})
        EXPECT_FALSE(read_seconds(wrong)) << wrong;
}

}  // namespace
}  // namespace trellis::plugins::estimate
