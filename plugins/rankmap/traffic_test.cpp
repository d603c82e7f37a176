#include "plugins/rankmap/traffic.hpp"

#include "plugins/rankmap/traffic_patterns.hpp"
#include "plugins/rankmap/traffic_text.hpp"

#include <string>

#include <gmock/gmock.h>

namespace trellis::plugins::rankmap {
namespace {

using ::testing::HasSubstr;

// "1:2 3:1" of a rank: it has to do with rank 1, twice as much as with rank 3.
std::string peers_text(const Traffic& traffic, std::size_t rank) {
    std::string text;
    for (const TrafficPeer& peer : traffic.peers(rank))
        text += (text.empty() ? "" : " ") + std::to_string(peer.rank) + ":" +
                std::to_string(static_cast<int>(peer.amount));
    return text;
}

std::string peers_text(std::string_view pattern, std::size_t ranks, std::size_t rank) {
    return peers_text(pattern_traffic(pattern, ranks).value(), rank);
}

std::string wrong(std::string_view text) {
    const auto traffic = parse_traffic(text);
    return traffic ? "nothing" : traffic.error().cause;
}

TEST(RankmapTraffic, BothDirectionsAddUp) {
    const Traffic traffic(4, {{1, 0, 2}, {0, 1, 3}, {2, 2, 9}, {0, 3, 0}, {0, 2, 1}});
    EXPECT_EQ(peers_text(traffic, 0), "1:5 2:1");
    EXPECT_EQ(peers_text(traffic, 1), "0:5");
    EXPECT_EQ(peers_text(traffic, 3), "");
    EXPECT_EQ(traffic.pairs(), 2u);
    EXPECT_EQ(traffic.total(), 6);
    EXPECT_FALSE(traffic.uniform());
}

TEST(RankmapTraffic, BuiltInPatterns) {
    EXPECT_EQ(peers_text("ring", 5, 0), "1:2 4:2");
    EXPECT_EQ(peers_text("halo-2d", 12, 5), "1:2 4:2 6:2 9:2");  // 3 rows of 4
    EXPECT_EQ(peers_text("halo-2d", 12, 3), "2:2 7:2");
    EXPECT_EQ(peers_text("halo-3d", 27, 13), "4:2 10:2 12:2 14:2 16:2 22:2");
    EXPECT_EQ(peers_text("halo-3d", 27, 0), "1:2 3:2 9:2");
    EXPECT_EQ(peers_text("multipartition", 16, 0), "1:2 3:2 4:2 7:2 12:2 13:2");
    EXPECT_EQ(peers_text("binomial", 8, 0), "1:2 2:2 4:2");
    EXPECT_EQ(peers_text("binomial", 8, 6), "4:2 7:2");
    EXPECT_TRUE(pattern_traffic("all-to-all", 7).value().uniform());
    EXPECT_EQ(pattern_traffic("ring", 1).value().pairs(), 0u);
}

TEST(RankmapTraffic, APatternSaysForWhichNumbersItIs) {
    EXPECT_THAT(pattern_traffic("multipartition", 15).error().cause, HasSubstr("a square number of ranks"));
    EXPECT_THAT(pattern_traffic("all-to-all", 5000).error().cause, HasSubstr("at most 4096"));
    EXPECT_FALSE(pattern_traffic("knot", 4));
}

TEST(RankmapTraffic, ASquareOfNumbers) {
    const Traffic traffic =
        parse_traffic("# bytes\n0 1 2.5e0\r\n\n1, 7, 0 # the diagonal does not count\n0\t0\t0").value();
    EXPECT_EQ(traffic.ranks(), 3u);
    EXPECT_EQ(peers_text(traffic, 0), "1:2 2:2");
    EXPECT_EQ(peers_text(traffic, 2), "0:2");
}

TEST(RankmapTraffic, MatrixMarket) {
    const Traffic coordinates = parse_traffic(
                                    "%%MatrixMarket Matrix Coordinate Integer General\n% c\n\n"
                                    "3 3 2\n1 2 5\n3 1 4\n")
                                    .value();
    EXPECT_EQ(peers_text(coordinates, 0), "1:5 2:4");
    const Traffic counted =
        parse_traffic("%%MatrixMarket matrix coordinate pattern symmetric\n3 3 1\n3 2\n").value();
    EXPECT_EQ(peers_text(counted, 1), "2:2");
    const Traffic array =
        parse_traffic("%%MatrixMarket matrix array real general\n2 2\n0\n1\n3\n0\n").value();
    EXPECT_EQ(peers_text(array, 0), "1:4");
    const Traffic half =
        parse_traffic("%%MatrixMarket matrix array real symmetric\n3 3\n0\n1\n2\n0\n3\n0\n").value();
    EXPECT_EQ(peers_text(half, 0), "1:2 2:4");
    EXPECT_EQ(peers_text(half, 1), "0:2 2:6");
}

TEST(RankmapTraffic, NamesTheLineThatIsWrong) {
    EXPECT_EQ(wrong(""), "the matrix is empty");
    EXPECT_EQ(wrong("0 1\n2 x\n"), "line 2: 'x' is no number");
    EXPECT_EQ(wrong("0 1\n2 nan\n"), "line 2: 'nan' is no number");
    EXPECT_EQ(wrong("0 1\n2 inf\n"), "line 2: 'inf' is no number");
    EXPECT_EQ(wrong("0 1\n-2 0\n"), "line 2: a negative amount");
    EXPECT_EQ(wrong("0 1\n\n2 0 1\n"), "line 3: 3 numbers instead of 2");
    EXPECT_EQ(wrong("0 1 2\n0 1 2\n"), "line 2: only 2 lines of 3 numbers");
    EXPECT_EQ(wrong("0 1\n0 1\n0 1\n"), "line 3: more lines than the 2 numbers of each");
    const std::string banner = "%%MatrixMarket matrix coordinate real general\n";
    EXPECT_THAT(wrong("%%MatrixMarket matrix coordinate complex general\n1 1 0\n"),
                HasSubstr("line 1: expected %%MatrixMarket"));
    EXPECT_EQ(wrong(banner), "line 1: the line with the sizes is missing");
    EXPECT_EQ(wrong(banner + "2 3 1\n1 1 1\n"), "line 2: the matrix is not square");
    EXPECT_EQ(wrong(banner + "2 2 1\n1 3 1\n"), "line 3: '3' is no row or column from 1 to 2");
    EXPECT_EQ(wrong(banner + "2 2 1\n1 2\n"), "line 3: '' is no number");
    EXPECT_EQ(wrong(banner + "2 2 2\n1 2 1\n"), "line 3: only 1 of 2 entries");
    EXPECT_EQ(wrong(banner + "2 2 1\n1 2 1\n2 1 1\n"), "line 4: more entries than 1");
    EXPECT_EQ(wrong(banner + "200000 200000 1\n"), "line 2: more than 100000 ranks");
    EXPECT_THAT(wrong("%%MatrixMarket matrix array real symmetric\n2 2\n0\n1\n0\n1\n"),
                HasSubstr("line 6: more entries than 3"));
}

}  // namespace
}  // namespace trellis::plugins::rankmap
