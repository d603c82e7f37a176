#include "agentd/model/host_range.hpp"

#include <algorithm>
#include <random>
#include <set>

#include <gmock/gmock.h>

namespace trellis {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Names = std::vector<std::string>;

TEST(HostRange, ExpandsBothSpellings) {
    EXPECT_THAT(expand_hosts("a[08-10,20]").value(), ElementsAre("a08", "a09", "a10", "a20"));
    EXPECT_EQ(expand_hosts("a[08-10,20]").value(), expand_hosts("a[[08-10;20]]").value());
    EXPECT_THAT(expand_hosts("x a[9-11].net,b1").value(),
                ElementsAre("x", "a9.net", "a10.net", "a11.net", "b1"));
    EXPECT_THAT(expand_hosts("n[98-101]").value(), ElementsAre("n98", "n99", "n100", "n101"));
    EXPECT_THAT(expand_hosts("n[098-101]").value(), ElementsAre("n098", "n099", "n100", "n101"));
    EXPECT_THAT(expand_hosts("[1-2]").value(), ElementsAre("1", "2"));
}

TEST(HostRange, BracketsMultiply) {
    EXPECT_THAT(expand_hosts("r[1-2]n[00-01]x").value(), ElementsAre("r1n00x", "r1n01x", "r2n00x", "r2n01x"));
    EXPECT_EQ(expand_hosts("r[1-4]n[[00-31]]").value().size(), 128u);
}

struct Bad {
    const char* text;
    const char* column;
    const char* cause;
};

TEST(HostRange, SaysWhereAndWhatWasExpected) {
    const Bad cases[] = {
        {"", "column 1:", "expected a host name"},
        {" , ", "column 1:", "expected a host name"},
        {"a[", "column 3:", "expected a number, found the end"},
        {"a[]", "column 3:", "expected a number, found ']'"},
        {"a[1", "column 2:", "never closed by ']'"},
        {"a[[1]", "column 5:", "']]'"},
        {"a[1-]", "column 5:", "expected a number"},
        {"a[x]", "column 3:", "found 'x'"},
        {"a[1-2", "column 2:", "never closed"},
        {"a[1,,2]", "column 5:", "expected a number"},
        {"a[5-3]", "column 3:", "5-3 runs backwards"},
        {"a[001-10]", "column 3:", "same number of digits"},
        {"a[1-010]", "column 3:", "same number of digits"},
        {"a]", "column 2:", "without a '['"},
        {"b a;c", "column 4:", "';' without"},
        {"a[1234567890123456]", "column 3:", "at most 15 digits"},
        {"a\x01", "column 2:", "control character"},
        {"a[1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1]", "column 50:", "at most 16 brackets"},
    };
    for (const Bad& bad : cases) {
        const auto result = expand_hosts(bad.text);
        ASSERT_FALSE(result) << bad.text;
        EXPECT_THAT(result.error().cause, HasSubstr(bad.column)) << bad.text;
        EXPECT_THAT(result.error().cause, HasSubstr(bad.cause)) << bad.text;
    }
}

TEST(HostRange, IsBounded) {
    EXPECT_FALSE(expand_hosts("a[0-999999999999999]"));
    EXPECT_FALSE(expand_hosts("a[1-9]", 8));
    EXPECT_FALSE(expand_hosts("a[1-4] b[1-5]", 8));
    EXPECT_EQ(expand_hosts("a[1-4] b[1-4]", 8).value().size(), 8u);
    EXPECT_FALSE(expand_hosts("a[0-999]b[0-999]c[0-999]d[0-999]e[0-999]f[0-999]g[0-999]h[0-999]"));
    EXPECT_FALSE(expand_hosts(std::string(256, 'a')));
}

TEST(HostRange, Folds) {
    EXPECT_EQ(fold_hosts(Names{}), "");
    EXPECT_EQ(fold_hosts(Names{"b"}), "b");
    EXPECT_EQ(fold_hosts(Names{"a03", "a01", "a02", "a20", "a01"}), "a[01-03,20]");
    EXPECT_EQ(fold_hosts(Names{"a8", "a9", "a10", "a11"}), "a[8-11]");
    EXPECT_EQ(fold_hosts(Names{"a1", "a01", "a2", "a02"}), "a[1-2,01-02]");
    EXPECT_EQ(fold_hosts(Names{"a99", "a100", "a098"}), "a[99,098,100]");
    EXPECT_EQ(fold_hosts(Names{"r1n1", "r1n2", "r2n1", "r2n2", "q"}), "r[1-2]n[1-2],q");
    EXPECT_EQ(fold_hosts(Names{"r1n1", "r1n2", "r2n1"}), "r1n[1-2],r2n1");
    EXPECT_EQ(fold_hosts(Names{"x12345678901234567", "x2"}), "x12345678901234567,x2");
}

TEST(HostRange, FoldAndExpandAreInverse) {
    std::mt19937 random(7);
    for (int round = 0; round < 300; ++round) {
        std::set<std::string> names;
        for (auto i = random() % 60 + 1; i-- > 0;) {
            std::string number = std::to_string(random() % 120);
            if (random() % 2) number.insert(0, "0");
            names.insert(std::string(1, "ab"[random() % 2]) + number +
                         (random() % 3 ? "" : "-" + std::to_string(random() % 4)));
        }
        const Names given(names.begin(), names.end());
        Names back = expand_hosts(fold_hosts(given)).value();
        std::ranges::sort(back);
        ASSERT_EQ(back, given) << fold_hosts(given);
    }
}

// Some 30 ms on an idle machine; a wrong order of growth would be noticed by whoever waits for it.
TEST(HostRange, FoldsAHundredThousandNames) {
    Names names = expand_hosts("rack[001-100]-n[0000-0999]").value();
    std::ranges::shuffle(names, std::mt19937(1));
    EXPECT_EQ(fold_hosts(names), "rack[001-100]-n[0000-0999]");
}

}  // namespace
}  // namespace trellis
