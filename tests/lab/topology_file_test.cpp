#include "tests/lab/topology_file.hpp"

#include <gtest/gtest.h>

namespace trellis::lab {
namespace {

using namespace std::chrono_literals;

constexpr const char* sample = R"(# two switches
mtu 9000
switch core
switch t0 core rate=10gbit delay=50us queue=512k   # an uplink
switch t1 core delay=0.1ms
hosts a%02d 0 3 t0 10.1.0.254 rate=1gbit delay=5us loss=0.01
host b t1 10.1.2.1,fd00::2 delay=5us
switch other
nic b other 192.168.7.1/24 delay=1us
nics a%02d 0 1 other fd01::1 delay=1us
)";

TopologyFile parsed_lab(std::string_view text) {
    auto result = parse_topology(text);
    if (auto* error = std::get_if<ParseError>(&result))
        ADD_FAILURE() << error->line << ": " << error->message;
    return std::get<TopologyFile>(std::move(result));
}

std::string error_of(std::string_view text) {
    auto result = parse_topology(text);
    auto* error = std::get_if<ParseError>(&result);
    return error ? std::to_string(error->line) + ": " + error->message : "no error";
}

TEST(TopologyFile, ReadsEveryStatement) {
    TopologyFile file = parsed_lab(sample);
    EXPECT_EQ(file.mtu, 9000);
    ASSERT_EQ(file.hosts.size(), 5u);
    EXPECT_EQ(file.hosts[3].name, "a03");
    const Node& card = file.nodes[file.hosts[3].nics[0]];
    EXPECT_EQ(card.addresses[0].text, "10.1.1.1");  // counted past 10.1.0.255
    EXPECT_EQ(card.addresses[0].prefix, 8);
    EXPECT_EQ(card.up.delay, 5us);
    EXPECT_DOUBLE_EQ(card.up.rate, 1e9);
    EXPECT_DOUBLE_EQ(card.up.loss, 0.01);
    EXPECT_EQ(file.nodes[1].up.queue, 512u * 1024);
}

TEST(TopologyFile, KnowsSeveralCardsAndAddresses) {
    TopologyFile file = parsed_lab(sample);
    const Host& b = file.hosts[*find_host(file, "b")];
    ASSERT_EQ(b.nics.size(), 2u);
    EXPECT_EQ(file.nodes[b.nics[0]].addresses[1].text, "fd00::2");
    EXPECT_EQ(file.nodes[b.nics[1]].name, "b.1");
    EXPECT_EQ(file.nodes[b.nics[1]].addresses[0].prefix, 24);
    EXPECT_EQ(file.nodes[*find_node(file, "a01.1")].addresses[0].text, "fd01::2");
}

TEST(TopologyFile, MeasuresPaths) {
    TopologyFile file = parsed_lab(sample);
    EXPECT_EQ(one_way_delay(file, "a00", "a01"), 10us);
    EXPECT_EQ(one_way_delay(file, "a00", "b"), 160us);
    EXPECT_EQ(one_way_delay(file, "a00", "a00"), 0us);
    EXPECT_EQ(one_way_delay(file, *find_node(file, "a00.1"), *find_node(file, "b.1")), 2us);
    EXPECT_EQ(one_way_delay(file, *find_node(file, "a00"), *find_node(file, "b.1")), std::nullopt);
    EXPECT_EQ(tree_path(file, *find_node(file, "a00"), *find_node(file, "b")).size(), 5u);
}

TEST(TopologyFile, ListsLinks) {
    TopologyFile file = parsed_lab(sample);
    auto links = parent_links(file);
    EXPECT_EQ(links.size(), 2u + 5 + 1 + 2);
    EXPECT_EQ(links[0].child, "t0");
    EXPECT_EQ(links[0].parent, "core");
    EXPECT_EQ(node_names(file).size(), links.size() + 2);
}

TEST(TopologyFile, FindsLinksByEitherName) {
    TopologyFile file = parsed_lab(sample);
    EXPECT_EQ(find_link(file, "t0"), find_node(file, "t0"));
    EXPECT_EQ(find_link(file, "core-t0"), find_node(file, "t0"));
    EXPECT_EQ(find_link(file, "b-other"), find_node(file, "b.1"));
    EXPECT_EQ(find_link(file, "core"), std::nullopt);
    EXPECT_EQ(find_link(file, "t0-t1"), std::nullopt);
}

TEST(TopologyFile, NamesTheLineAndWhatWasExpected) {
    EXPECT_EQ(error_of("switch s\nhost a s 10.0.0.1 dealy=5us\n"),
              "2: unknown option 'dealy=5us': expected rate=, down=, delay=, queue= or loss=");
    EXPECT_EQ(error_of("switch s\nhost a t 10.0.0.1\n"), "2: no switch 't' above this line");
    EXPECT_EQ(error_of("switch s\n\nhost a s 10.0.0\n"),
              "3: address '10.0.0': expected an IPv4 or IPv6 address");
    EXPECT_EQ(error_of("swich s\n"),
              "1: unknown statement 'swich': expected mtu, tmp, switch, host, hosts, nic or nics");
    EXPECT_EQ(error_of("tmp 1m hug\n"), "1: tmp: unknown word 'hug': expected huge");
    EXPECT_EQ(error_of("switch s\nhost a s\n"),
              "2: too few words; expected: host|nic NAME SWITCH ADDRESS [options]");
    EXPECT_EQ(error_of("switch s\nhost a s 10.0.0.1\nhost a s 10.0.0.2\n"), "3: name 'a' is used twice");
    EXPECT_EQ(error_of("switch s\nhost a s 10.0.0.1\nhost b s 10.0.0.1\n"),
              "3: address 10.0.0.1 is used twice");
    EXPECT_EQ(error_of("switch s\nhost a s 10.0.0.1\nhost b a 10.0.0.2\n"),
              "3: 'a' is a host; expected a switch");
    EXPECT_EQ(error_of("switch s\n"), "1: the file describes no host");
}

TEST(TopologyFile, RefusesBadNumbers) {
    for (const char* option : {"delay=-1us", "delay=5", "delay=", "rate=1gib", "rate=inf", "queue=1x",
                               "loss=2", "loss=0.1%", "delay=99999999999s", "rate"}) {
        auto text = std::string("switch s\nhost a s 10.0.0.1 ") + option;
        EXPECT_NE(error_of(text).find("2: option"), std::string::npos) << error_of(text);
    }
    EXPECT_NE(error_of("mtu 12\n").find("1: mtu '12'"), std::string::npos);
    EXPECT_NE(error_of("switch s\nhosts a%s 0 1 s 10.0.0.1\n").find("pattern"), std::string::npos);
    EXPECT_NE(error_of("switch s\nhosts a%d 5 1 s 10.0.0.1\n").find("last number"), std::string::npos);
}

}  // namespace
}  // namespace trellis::lab
