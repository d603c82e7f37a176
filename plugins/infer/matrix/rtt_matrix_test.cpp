#include "plugins/infer/matrix/rtt_matrix.hpp"

#include <gmock/gmock.h>

namespace trellis::plugins::infer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string complaint(std::string_view text) {
    const Result<RttMatrix> matrix = parse_rtt_matrix(text);
    return matrix ? "none" : matrix.error().message();
}

TEST(RttMatrixText, BlanksSeparateMillisecondsOfNumberedHosts) {
    const RttMatrix matrix =
        parse_rtt_matrix("# by hand\n0 1.5 2\n\n 1.5\t0 3e-1  # last\r\n2 0.3 0").value();
    EXPECT_THAT(matrix.hosts(), ElementsAre("0", "1", "2"));
    EXPECT_EQ(matrix.rtt_us(1, 0), 1500);
    EXPECT_EQ(matrix.rtt_us(0, 2), 2000);
    EXPECT_EQ(matrix.rtt_us(2, 1), 300);
    EXPECT_EQ(matrix.weight(2, 1), 1);
    EXPECT_EQ(matrix.measured_pairs(), 3u);
}

TEST(RttMatrixText, AFirstLineNamesTheHosts) {
    for (const char* text :
         {"a b c\n0 1 2\n1 0 3\n2 3 0\n", "a,b,c\n0,1,2\n1,0,3\n2,3,0", ",a,b,c\na,,1,2\nb,1,,3\nc,2,3,",
          "host a b c\na 0 1 2\nb 1 0 3\nc 2 3 0", "\"a\", \"b\", \"c\"\n0,1,2\n1,0,3\n2,3,0\n",
          "\xEF\xBB\xBF\x61 b c\n0 1 2\n1 0 3\n2 3 0\n", "a b c\na 0 1 2\nb 1 0 3\nc 2 3 0"}) {
        const Result<RttMatrix> matrix = parse_rtt_matrix(text);
        ASSERT_TRUE(matrix) << text << matrix.error().message();
        EXPECT_THAT(matrix->hosts(), ElementsAre("a", "b", "c")) << text;
        EXPECT_EQ(matrix->rtt_us(2, 1), 3000) << text;
    }
}

TEST(RttMatrixText, AFirstColumnAloneNamesTheHosts) {
    const RttMatrix matrix = parse_rtt_matrix("a 0 1\nb 1 0\n").value();
    EXPECT_THAT(matrix.hosts(), ElementsAre("a", "b"));
    EXPECT_EQ(matrix.rtt_us(0, 1), 1000);
}

TEST(RttMatrixText, HostsCountedFrom0AreNamesToo) {
    for (const char* text : {",0,1,2\n0,,5,6\n1,5,,7\n2,6,7,\n", "0 1 2\n0 5 6\n5 0 7\n6 7 0\n"}) {
        const RttMatrix matrix = parse_rtt_matrix(text).value();
        EXPECT_THAT(matrix.hosts(), ElementsAre("0", "1", "2")) << text;
        EXPECT_EQ(matrix.rtt_us(0, 1), 5000) << text;
        EXPECT_EQ(matrix.rtt_us(1, 2), 7000) << text;
    }
}

TEST(RttMatrixText, WhatIsMissingInOneDirectionIsTakenFromTheOther) {
    const RttMatrix matrix = parse_rtt_matrix("0,,NaN,-1\n4,0,-,\n-,-,0,na\n8,5,,x").value();
    EXPECT_EQ(matrix.rtt_us(0, 1), 4000);
    EXPECT_EQ(matrix.rtt_us(0, 3), 8000);
    EXPECT_EQ(matrix.rtt_us(1, 3), 5000);
    EXPECT_FALSE(matrix.measured(0, 2));
    EXPECT_FALSE(matrix.measured(2, 3));
    EXPECT_EQ(matrix.measured_pairs(), 3u);
}

TEST(RttMatrixText, OfTwoDirectionsTheLesserCounts) {
    EXPECT_EQ(parse_rtt_matrix("0 4\n5 0").value().rtt_us(0, 1), 4000);
    EXPECT_EQ(parse_rtt_matrix("0 6\n5 0").value().rtt_us(0, 1), 5000);
}

TEST(RttMatrixText, FailuresNameLineAndField) {
    EXPECT_EQ(complaint(""), "the matrix is empty");
    EXPECT_EQ(complaint("# nothing\n\n"), "the matrix is empty");
    EXPECT_EQ(complaint("a b\n"), "line 1: the names of hosts, but no line of round-trip times follows");
    EXPECT_EQ(complaint("0 1 2\n1 0 3\n"), "line 1: 3 fields, but 2 lines: the matrix is not square");
    EXPECT_EQ(complaint("#\n0 1\n1\n"), "line 3: 1 fields instead of 2");
    EXPECT_EQ(complaint("0 1\nten 0\n"), "line 2, field 1: no round-trip time in milliseconds");
    EXPECT_EQ(complaint("0 1\n-2 0\n"), "line 2, field 1: a negative round-trip time");
    EXPECT_EQ(complaint("0 inf\n1 0\n"), "line 1, field 2: a round-trip time of more than an hour");
    EXPECT_EQ(complaint("a b\na 0 1\nc 1 0\n"), "line 3, field 1: host c, where the first line has b");
    EXPECT_EQ(complaint("a a\n0 1\n1 0\n"), "two hosts are named a");
    EXPECT_EQ(complaint("a,\x01,c\n0,1,2\n1,0,3\n2,3,0\n"),
              "line 1, field 2: a name that is not of printable ASCII characters");
    EXPECT_EQ(complaint("a,,c\n0,1,2\n1,0,3\n2,3,0\n"), "line 1, field 2: a host without a name");
    std::string long_name(300, 'a');
    long_name += " b\n0 1\n1 0\n";
    EXPECT_THAT(complaint(long_name), HasSubstr("more than 255 characters"));
}

TEST(RttMatrixText, TooMuchIsRefused) {
    std::string lines;
    for (std::size_t line = 0; line <= most_matrix_hosts; ++line)
        lines += "0 \n";
    EXPECT_EQ(complaint(lines), "more than 2000 lines of round-trip times");
    EXPECT_THAT(complaint(std::string(1'000'000, ',')), HasSubstr("not square"));
    EXPECT_THAT(complaint(std::string(most_matrix_bytes + 1, ' ')), HasSubstr("bytes; at most"));
}

TEST(RttMatrix, RelativeWeightsHaveAFloor) {
    RttMatrix matrix({"a", "b", "c"});
    matrix.set(0, 1, 100);
    matrix.set(0, 2, 200);
    matrix.set(1, 2, 0);
    matrix.weigh_relatively();
    EXPECT_DOUBLE_EQ(matrix.weight(1, 0), 1e-4);
    EXPECT_DOUBLE_EQ(matrix.weight(0, 2), 1 / 4e4);
    EXPECT_DOUBLE_EQ(matrix.weight(2, 1), 1 / (0.02 * 0.02));
    EXPECT_EQ(matrix.weight(1, 1), 0);
}

TEST(RttMatrix, HostsThatNothingConnectsAreNamed) {
    RttMatrix matrix({"a", "b", "c", "d"});
    matrix.set(0, 1, 1);
    matrix.set(2, 3, 1);
    EXPECT_EQ(check_connected(matrix).error().message(), "no chain of measured pairs connects c to a");
    matrix.set(1, 3, 1);
    EXPECT_TRUE(check_connected(matrix));
    EXPECT_TRUE(check_connected(RttMatrix({})));
}

}  // namespace
}  // namespace trellis::plugins::infer
