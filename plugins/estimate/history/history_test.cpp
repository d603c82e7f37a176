// Histories: their text, their columns, what was lost, and level shifts.
#include "plugins/estimate/history/history.hpp"

#include "plugins/estimate/history/level_shift.hpp"

#include <cmath>
#include <random>

#include <gmock/gmock.h>

namespace trellis::plugins::estimate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string cause_of(std::string_view text) {
    const auto history = parse_history(text);
    return history ? "" : history.error().cause;
}

TEST(EstimateHistory, ReadsTimesHostsAndLostSamples) {
    const History history = parse_history("time,a,b\n0,1.5,\n240,2,3 # late\n\n480,2,3\n").value();
    EXPECT_THAT(history.columns, ElementsAre("a", "b"));
    EXPECT_THAT(history.times, ElementsAre(0, 240, 480));
    EXPECT_TRUE(std::isnan(history.round_trips[1][0]));
    EXPECT_EQ(history.interval(), 240);
    EXPECT_EQ(parse_history("time,a\n0,2\n", 1000).value().round_trips[0][0], 2000);
}

TEST(EstimateHistory, SaysWhatIsWrongAndWhere) {
    EXPECT_EQ(cause_of(""), "no line: time,HOST,HOST,... is expected");
    EXPECT_EQ(cause_of("time\n"), "line 1: no hosts: time,HOST,HOST,... is expected");
    EXPECT_EQ(cause_of("time,a\n"), "line 1: hosts, but no samples follow");
    EXPECT_EQ(cause_of("time,a,a\n"), "line 1, field 3: two columns are named a");
    EXPECT_EQ(cause_of("time,a\n0,1\n1,1,1\n"), "line 3: 3 fields instead of 2");
    EXPECT_EQ(cause_of("time,a\n0,x\n"), "line 2, field 2: 'x' is no round-trip time");
    EXPECT_THAT(cause_of("time,a\n0,0\n"), HasSubstr("line 2, field 2: a round-trip time of 0 or less"));
    EXPECT_THAT(cause_of("time,a\n0,-1\n"), HasSubstr("0 or less"));
    EXPECT_THAT(cause_of("time,a\n0,nan\n"), HasSubstr("no round-trip time"));
    EXPECT_EQ(cause_of("time,a\n1,1\n0,1\n"), "line 3, field 1: earlier than the line before");
    EXPECT_THAT(read_history("/nowhere/h.csv").error().cause, HasSubstr("/nowhere/h.csv: No such file"));
}

TEST(EstimateHistory, DropsTheTornEndOfAnInterruptedRecording) {
    EXPECT_EQ(parse_history("time,a,b\n0,1,2\n1,1").value().rows(), 1u);
    EXPECT_EQ(parse_history("time,a,b\n0,1,2\n1,1,2").value().rows(), 2u);
}

TEST(EstimateHistory, FillsWhatWasLost) {
    const FilledHistory filled = fill_lost(parse_history("time,a,b,c\n0,,1,\n1,2,,\n2,3,4,\n").value());
    EXPECT_THAT(filled.silent, ElementsAre("c"));
    EXPECT_THAT(filled.history.round_trips, ElementsAre(ElementsAre(2, 2, 3), ElementsAre(1, 1, 4)));
    EXPECT_THAT(row_maxima(filled.history), ElementsAre(2, 2, 4));
}

TEST(EstimateHistory, SelectsTheColumnsOfARoot) {
    const History history = parse_history("time,a->b,a->c,b->c,b\n0,1,2,3,4\n").value();
    const History of_a = select_columns(history, "a", {}).value();
    EXPECT_THAT(of_a.columns, ElementsAre("b", "c"));
    EXPECT_THAT(of_a.round_trips, ElementsAre(ElementsAre(1), ElementsAre(2)));
    EXPECT_THAT(select_columns(history, "b", {"c"}).value().round_trips, ElementsAre(ElementsAre(3)));
    EXPECT_THAT(select_columns(history, "", {}).value().columns, ElementsAre("b"));
    EXPECT_EQ(select_columns(history, "b", {"d"}).error().cause, "no column for host d from b");
    EXPECT_EQ(only_root(history), "");
    EXPECT_EQ(only_root(parse_history("time,a->b,a->c\n0,1,2\n").value()), "a");
}

std::vector<double> levels(std::initializer_list<std::pair<double, int>> parts) {
    std::mt19937_64 engine(7);
    std::vector<double> values;
    for (const auto& [level, count] : parts)
        for (int place = 0; place < count; ++place)
            values.push_back(level + static_cast<double>(engine() % 1000) / 1000);
    return values;
}

TEST(EstimateLevelShift, IsFoundWhereItIs) {
    EXPECT_EQ(after_last_shift(levels({{50, 200}})), 0u);
    EXPECT_EQ(after_last_shift(levels({{50, 100}, {60, 100}})), 100u);
    EXPECT_EQ(after_last_shift(levels({{50, 100}, {60, 80}, {40, 60}})), 180u);
    EXPECT_EQ(after_last_shift(levels({{50, 200}, {500, 1}})), 0u);     // an outlier
    EXPECT_EQ(after_last_shift(levels({{50, 100}, {50.2, 100}})), 0u);  // they overlap
    EXPECT_EQ(after_last_shift(std::vector<double>(100, 3.0)), 0u);
    EXPECT_EQ(after_last_shift(std::vector<double>{1}), 0u);
}

}  // namespace
}  // namespace trellis::plugins::estimate
