#include "shell/hosts/host_sources.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trellis {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::string cause(const Result<std::vector<std::string>>& names) {
    return names ? "" : names.error().message();
}

std::vector<std::string> of_list(const std::string& text) {
    return hosts_of_list({"list", text}).value();
}

TEST(HostsOfList, TakesRangesCommentsAndRepetitions) {
    EXPECT_THAT(of_list("a0 a1,a[2-3]\r\n\n# b0\n  c0 # d0\na1\ntau@e0"),
                ElementsAre("a0", "a1", "a2", "a3", "c0", "tau@e0"));
    EXPECT_THAT(of_list(""), IsEmpty());
    EXPECT_THAT(of_list("\n \n#"), IsEmpty());
}

TEST(HostsOfList, TakesTheNodeListsOfBatchSystems) {
    EXPECT_THAT(of_list("cn[008-010,012],gpu1,r[0-1]n[1-2]"),
                ElementsAre("cn008", "cn009", "cn010", "cn012", "gpu1", "r0n1", "r0n2", "r1n1", "r1n2"));
    EXPECT_THAT(of_list("n1\nn1\nn2\nn2\n"), ElementsAre("n1", "n2"));
}

TEST(HostsOfList, NamesTheLineOfAMistake) {
    EXPECT_EQ(cause(hosts_of_list({"f", "a\n\nb[1-\n"})),
              "f:3: host range 'b[1-': column 5: expected a number, found the end");
    EXPECT_EQ(cause(hosts_of_list({"f", "a[0-999999999]"})),
              "f:1: host range 'a[0-999999999]': gives more than 100000 hosts");
    std::string many;
    for (int i = 0; i < 11; ++i)
        many += "a[0-99999]\n";
    EXPECT_EQ(cause(hosts_of_list({"f", many})), "f:11: more than 1000000 hosts");
    EXPECT_NE(cause(hosts_of_list({"f", "a\033[2J"})), "");
}

constexpr const char* hosts_file =
    "127.0.0.1 localhost\n127.0.1.1\tme.site me\n::1 ip6-localhost\n"
    "ff02::1 ip6-allnodes\n10.0.0.1  a0.site a0  # the first\n"
    "10.0.0.2 a1.site a1\nfd00::3 b0\nfe80::1%eth0 c0\n";

TEST(HostsOfTable, TakesTheFirstNameOfOtherMachines) {
    EXPECT_THAT(hosts_of_table({"hosts", hosts_file}, std::nullopt).value(),
                ElementsAre("a0.site", "a1.site", "b0"));
}

TEST(HostsOfTable, TakesTheNameThatMatches) {
    const auto pick = [](const char* pattern) {
        return hosts_of_table({"hosts", hosts_file}, HostPattern::parse(pattern).value()).value();
    };
    EXPECT_THAT(pick("a[0-9]"), ElementsAre("a0", "a1"));
    EXPECT_THAT(pick("/1/"), ElementsAre("a1.site"));
    EXPECT_THAT(pick("local*"), IsEmpty());
}

TEST(HostsOfTable, NamesTheLineOfAMistake) {
    EXPECT_EQ(cause(hosts_of_table({"hosts", "10.0.0.1 a0\na1 a2\n"}, std::nullopt)),
              "hosts:2: expected an address and names, found 'a1'");
    EXPECT_EQ(cause(hosts_of_table({"hosts", "10.0.0.1\n"}, std::nullopt)),
              "hosts:1: expected an address and names, found '10.0.0.1' alone");
}

const std::vector<HostText> group_files{
    {"groups",
     "# ours\nadm: n0\nio: n[4-6]\nio: n7, n8\ncompute: n[32-34]\nrack1:n1\nrack2:n2\n"
     "all: @adm,@io @compute n0\nboth: @rack[1-2]\n"},
    {"local.cfg", "adm: x0\nold: @adm y[0-1]\n"}};

TEST(HostsOfGroup, AddsUpLinesAndFollowsReferences) {
    const auto group = [](const char* name) { return hosts_of_group(name, group_files).value(); };
    EXPECT_THAT(group("io"), ElementsAre("n4", "n5", "n6", "n7", "n8"));
    EXPECT_THAT(group("all"), ElementsAre("n0", "n4", "n5", "n6", "n7", "n8", "n32", "n33", "n34"));
    EXPECT_THAT(group("both"), ElementsAre("n1", "n2"));
    EXPECT_THAT(group("old"), ElementsAre("n0", "y0", "y1")) << "the first file's adm";
}

std::string source_refusal(const std::string& text, const std::string& group = "a") {
    return cause(hosts_of_group(group, {{"g", text}}));
}

TEST(HostsOfGroup, RefusesWhatItDoesNotUnderstand) {
    EXPECT_EQ(cause(hosts_of_group("compuet", group_files)),
              "no group is called compuet; did you mean compute? in groups, local.cfg");
    EXPECT_EQ(source_refusal("a: @b\nb: n1 @c\nc: @a"), "g:3: group a contains itself");
    EXPECT_EQ(source_refusal("a: @a"), "g:1: group a contains itself");
    EXPECT_EQ(source_refusal("a: n1\na: @zzzz"), "g:2: no group is called zzzz");
    EXPECT_EQ(source_refusal("a: n[0-9]!n5"), "g:1: operators (! & ^) are not understood here: n[0-9]!n5");
    EXPECT_EQ(source_refusal("a: n[0-"),
              "g:1: host range 'n[0-': column 5: expected a number, found the end");
    EXPECT_EQ(source_refusal("a: n1\nnonsense"), "g:2: expected GROUP: HOSTS");
}

TEST(HostsOfGroup, IsNotCarriedAwayByHostileFiles) {
    std::string chain, doubling = "g0: n0\n";
    for (int i = 0; i < 1000; ++i)
        chain += "a" + std::to_string(i) + ": @a" + std::to_string(i + 1) + "\n";
    EXPECT_EQ(source_refusal(chain, "a0"), "g:64: more than 64 groups within one another");
    for (int i = 1; i < 60; ++i) {
        const std::string before = " @g" + std::to_string(i - 1);
        doubling.append("g" + std::to_string(i) + ":").append(before).append(before).append("\n");
    }
    EXPECT_THAT(hosts_of_group("g59", {{"g", doubling}}).value(), ElementsAre("n0"));
}

}  // namespace
}  // namespace trellis
