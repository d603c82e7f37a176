#include "agentd/model/topology_page.hpp"

#include "agentd/model/topology_svg.hpp"
#include "tests/sim/random_topology.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace trellis {
namespace {

using nlohmann::json;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

// a0, a1 and c on a mesh, b behind it, not quite surely.
Topology viewed_example() {
    Topology topology{{"a0", "a1", "b", "c"}, {"s", "t"}, {}, {4}};
    topology.links = {{0, 4, Delay{20}},
                      {1, 4, Delay{21}, 0.5, Delay{0.5}},
                      {2, 5, Delay{10}},
                      {3, 4, Delay{20}},
                      {4, 5, Delay{1000}, 0.25}};
    return topology;
}

constexpr const char* hostile_names[] = {"</script><script>alert(1)</script>",
                                         "<!--<script>",
                                         "\"'&amp;<b onclick=\"x\">",
                                         "{{data}}",
                                         "{{drawing}}",
                                         "]]>",
                                         "\xff\xfe",
                                         "\x01\x1b[31m",
                                         "\xef\xbf\xbf"};

// viewed_example() with these hosts, too, and a switch with such a name.
Topology hostile_example() {
    Topology topology = viewed_example();
    const TopologyNode added = std::size(hostile_names);
    for (TopologyLink& link : topology.links) {
        if (link.a >= 4) link.a += added;
        link.b += added;
    }
    topology.meshes = {4 + added};
    for (const char* name : hostile_names) {
        topology.links.push_back({static_cast<TopologyNode>(topology.hosts.size()), 4 + added, Delay{20}});
        topology.hosts.emplace_back(name);
    }
    topology.switches[1] = "</title><image href=\"x\" onerror=\"alert(1)\"/>";
    return topology;
}

// The data of a page, as a browser would read it: up to the first end of a script.
json page_data(const std::string& page) {
    const std::string begin = "<script type=\"application/json\" id=\"data\">";
    const std::size_t start = page.find(begin) + begin.size();
    return json::parse(page.substr(start, page.find("</script", start) - start)).at("switches");
}

std::size_t count_of(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++count;
    return count;
}

TEST(TopologyPage, HoldsTheTreeAsData) {
    EXPECT_EQ(page_data(topology_page(viewed_example())), json::parse(R"([
        {"name": "s", "mesh": true, "range": "a[0-1],c",
         "hosts": [["a0", 20.0], ["a1", 21.0, 0.5, 0.5], ["c", 20.0]]},
        {"name": "t", "parent": 0, "link": [1000.0, 0.25], "range": "b", "hosts": [["b", 10.0]]}])"));
}

// viewed_example() with bandwidths: a fast trunk, unlike directions, one that is not measured.
TopologyBandwidth measured_example() {
    using Kind = LinkBandwidth::Kind;
    const LinkBandwidth slow{Kind::measured, 100e6, 1e6}, fast{Kind::at_least, 10e9, 0};
    return {viewed_example(),
            {{slow, slow}, {LinkBandwidth{Kind::measured, 1e9, 0}, slow}, {}, {slow, {}}, {fast, fast}}};
}

TEST(TopologyPage, HoldsBandwidthsIfTheyAreKnown) {
    EXPECT_EQ(page_data(topology_page(measured_example())), json::parse(R"([
        {"name": "s", "mesh": true, "range": "a[0-1],c",
         "hosts": [["a0", 20.0, 1.0, 0.0, [1e8, "100 Mbit/s ± 1.00"]],
                   ["a1", 21.0, 0.5, 0.5, [1e8, "-> 1.00 Gbit/s, <- 100 Mbit/s ± 1.00"]],
                   ["c", 20.0, 1.0, 0.0, [1e8, "-> 100 Mbit/s ± 1.00, <- not measured"]]]},
        {"name": "t", "parent": 0, "link": [1000.0, 0.25, 0.0, [1e10, ">= 10.0 Gbit/s"]], "range": "b",
         "hosts": [["b", 10.0]]}])"));
}

TEST(TopologyPage, NeedsNothingElse) {
    const std::string page = topology_page(viewed_example());
    for (const char* outside : {"src=", "@import", "url(http", "fetch(", "https:", "<link"})
        EXPECT_THAT(page, Not(HasSubstr(outside)));
    EXPECT_THAT(page, Not(HasSubstr("{{")));
    EXPECT_THAT(page, HasSubstr(std::string(topology_drawing_css)));
}

TEST(TopologyPage, OfFewHosts) {
    EXPECT_EQ(page_data(topology_page(Topology{})), json::parse(R"([{"name": "no hosts", "direct": true}])"));
    EXPECT_EQ(page_data(topology_page({{"a"}, {}, {}})),
              json::parse(R"([{"name": "one host", "direct": true, "range": "a", "hosts": [["a"]]}])"));
    EXPECT_EQ(
        page_data(topology_page({{"a", "b"}, {}, {{0, 1, Delay{3}}}})),
        json::parse(R"([{"name": "direct", "direct": true, "range": "a,b", "hosts": [["a"], ["b", 3.0]]}])"));
}

TEST(TopologyPage, ListsParentsFirstAndEveryHostOnce) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        const Topology tree = sim::random_topology(60, sim::all_tree_shapes[seed % 5], seed);
        const json data = page_data(topology_page(tree));
        EXPECT_EQ(data.size(), tree.switches.size());
        std::vector<std::string> hosts;
        for (std::size_t i = 0; i < data.size(); ++i) {
            EXPECT_EQ(data[i].contains("parent"), i > 0);
            EXPECT_LE(data[i].value("parent", std::size_t{0}), i);
            if (!data[i].contains("hosts")) continue;
            for (const json& host : data[i]["hosts"])
                hosts.push_back(host[0]);
        }
        std::ranges::sort(hosts);
        EXPECT_EQ(hosts, tree.hosts);
    }
}

TEST(TopologyPage, NoNameBecomesMarkup) {
    const std::string page = topology_page(hostile_example()), plain = topology_page(viewed_example());
    EXPECT_EQ(count_of(page, "<"), count_of(plain, "<"));
    EXPECT_EQ(count_of(page, "{{drawing}}"), 2u);  // the host and its range, as data
    std::vector<std::string> hosts;
    const json data = page_data(page);
    for (const json& host : data.at(0).at("hosts"))
        hosts.push_back(host[0]);
    EXPECT_THAT(hosts, testing::Contains(hostile_names[0]));
    EXPECT_THAT(hosts, testing::Contains(hostile_names[4]));
}

TEST(TopologySvg, DrawsSwitchesHostsMeshesAndDoubts) {
    const std::string svg = topology_svg(viewed_example());
    EXPECT_THAT(svg, HasSubstr(">s - t: 1.00 ms, 25% sure</title>"));
    EXPECT_THAT(svg, HasSubstr(">25% sure</text>"));
    EXPECT_THAT(svg, HasSubstr("<g class=\"switch mesh\"><title>s: 4 hosts below, no tree inside</title>"));
    EXPECT_THAT(svg,
                HasSubstr(">a[0-1],c<tspan class=\"dim\" dx=\"12\">3 hosts, 20.0-21.0 us, 50-100% sure"));
    EXPECT_EQ(count_of(svg, "class=\"link doubtful\""), 2u);  // the trunk, and the legend
    EXPECT_EQ(count_of(svg, "class=\"ring\""), 2u);
    EXPECT_THAT(svg, Not(HasSubstr("nan")));
}

TEST(TopologySvg, LinksAreAsWideAsTheyAreFast) {
    const std::string svg = topology_svg(measured_example());
    EXPECT_THAT(svg, HasSubstr(">s - t: 1.00 ms, 25% sure, &gt;= 10.0 Gbit/s</title>"));
    EXPECT_THAT(svg, HasSubstr(">1.00 ms, 10.0 Gbit/s</text>"));
    EXPECT_THAT(svg, ContainsRegex("stroke-width=\"10.0\" [^>]*><title>s - t: "));
    EXPECT_THAT(svg, ContainsRegex("stroke-width=\"2.0\" [^>]*><title>a.0-1.,c: .*, 100 Mbit/s"));
    EXPECT_THAT(svg, ContainsRegex("stroke-width=\"1.0\" [^>]*><title>b: 10.0 us<"));
    EXPECT_THAT(svg, ContainsRegex("stroke-width=\"10.0\" [^>]*><title>10.0 Gbit/s<"));  // in the legend
    EXPECT_THAT(topology_svg(viewed_example()), Not(HasSubstr("bit/s")));
}

TEST(TopologySvg, OfFewHosts) {
    EXPECT_THAT(topology_svg(Topology{}), HasSubstr("<svg"));
    EXPECT_THAT(topology_svg({{"a"}, {}, {}}), HasSubstr(">a<"));
    EXPECT_THAT(topology_svg({{"a", "b"}, {}, {{0, 1, Delay{3}}}}),
                HasSubstr(">a,b<tspan class=\"dim\" dx=\"12\">3.00 us<"));
}

TEST(TopologySvg, NoNameBecomesMarkup) {
    const std::string svg = topology_svg(hostile_example());
    EXPECT_EQ(count_of(svg, "<"), count_of(topology_svg(viewed_example()), "<"));
    for (const char* part : {"<script", "<image", "<b ", "\xff", "\x01", "\x1b", "\xef\xbf\xbf"})
        EXPECT_THAT(svg, Not(HasSubstr(part)));
}

TEST(TopologySvg, ShortensLongRangesBetweenCharacters) {
    Topology topology{{}, {"s"}, {}};
    for (TopologyNode i = 0; i < 40; ++i) {
        topology.hosts.push_back(std::string(1, static_cast<char>('a' + i % 26)) + "\xc3\xa4" +
                                 std::string(i / 26, 'x'));
        topology.links.push_back({i, 40, Delay{1}});
    }
    EXPECT_THAT(topology_svg(topology), HasSubstr("\xc3\xa4,p\xc3\xa4,…<tspan"));
}

}  // namespace
}  // namespace trellis
