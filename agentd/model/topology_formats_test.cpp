#include "agentd/model/topology_dot.hpp"
#include "agentd/model/topology_json.hpp"
#include "agentd/model/topology_newick.hpp"
#include "agentd/model/topology_text.hpp"
#include "agentd/model/topology_value.hpp"
#include "tests/sim/random_topology.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace trellis {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

Topology two_switches() {
    Topology topology;
    topology.hosts = {"a0", "a1", "b 2", "c"};
    topology.switches = {"s", "t"};
    topology.links = {
        {0, 4, Delay{20}}, {1, 4, Delay{20.5}}, {2, 5, Delay{3020}}, {3, 5, Delay{1}}, {4, 5, Delay{2.25}}};
    return topology;
}

// two_switches() as something less sure of itself: t is a mesh, b 2 may hang elsewhere, s and t may be one.
Topology doubtful_switches() {
    Topology topology = two_switches();
    topology.links[2].confidence = 0.29;
    topology.links[4].confidence = 0.949;
    topology.links[4].standard_error = Delay{0.125};
    topology.meshes = {5};
    return topology;
}

std::string refusal(const std::string& text) {
    const auto result = parse_topology(text);
    return result ? "accepted" : result.error().cause;
}

// The example with one member replaced.
std::string with(const std::string& pointer, const json& value) {
    json object = topology_to_json(two_switches());
    object[json::json_pointer(pointer)] = value;
    return object.dump();
}

TEST(TopologyJson, RoundTripIsExact) {
    EXPECT_EQ(parse_topology(topology_file(two_switches())).value(), two_switches());
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        Topology tree = sim::random_topology(50, sim::all_tree_shapes[seed % 5], seed);
        tree.links[0].delay = Delay{std::nextafter(0.1, 1.0)};
        EXPECT_EQ(parse_topology(topology_file(tree)).value(), tree);
        EXPECT_EQ(topology_from_json(topology_to_json(tree)).value(), tree);
    }
    EXPECT_EQ(parse_topology(topology_file(Topology{})).value(), Topology{});
}

TEST(TopologyJson, CarriesWhatIsDoubtful) {
    Topology topology = doubtful_switches();
    topology.links[0].confidence = std::nextafter(0.7, 1.0);
    EXPECT_EQ(parse_topology(topology_file(topology)).value(), topology);
    EXPECT_EQ(topology_from_json(topology_to_json(topology)).value(), topology);
    EXPECT_THAT(topology_file(topology), HasSubstr("\"meshes\": [\"t\"]"));
    topology.meshes = {4, 5};
    json object = topology_to_json(topology);
    object["meshes"] = {"t", "s"};
    EXPECT_EQ(topology_from_json(object).value(), topology);
}

TEST(TopologyJson, WritesNothingOfWhatIsNotDoubtful) {
    const std::string text = topology_file(two_switches());
    for (const char* member : {"meshes", "confidence", "standard_error"})
        EXPECT_EQ(text.find(member), std::string::npos) << member;
}

TEST(TopologyJson, SaysWhatWasExpectedAndWhere) {
    EXPECT_THAT(refusal(""), HasSubstr("line 1, column 1: not JSON"));
    EXPECT_THAT(refusal("{\n  \"hosts\": [}"), HasSubstr("line 2, column 13"));
    EXPECT_THAT(refusal("[]"), HasSubstr("expected an object, found an array"));
    EXPECT_THAT(refusal("{\"format\": \"trellis-topology\"}"), HasSubstr("'version' is missing"));
    EXPECT_THAT(refusal(with("/format", "gexf")), HasSubstr("expected \"trellis-topology\", found \"gexf\""));
    EXPECT_THAT(refusal(with("/version", 2)), HasSubstr("version: expected 1, found 2"));
    EXPECT_THAT(refusal(with("/extra", 2)), HasSubstr("unknown member \"extra\""));
    EXPECT_THAT(refusal(with("/links/1/speed", 2)), HasSubstr("links[1]: unknown member \"speed\""));
    EXPECT_THAT(refusal(with("/hosts", 2)), HasSubstr("hosts: expected an array"));
    EXPECT_THAT(refusal(with("/hosts/1", 2)), HasSubstr("hosts[1]: expected a name"));
    EXPECT_THAT(refusal(with("/hosts/1", "")), HasSubstr("hosts[1]"));
    EXPECT_THAT(refusal(with("/hosts/1", "x\ny")), HasSubstr("control characters"));
    EXPECT_THAT(refusal(with("/hosts/1", std::string(256, 'x'))), HasSubstr("1 to 255 bytes"));
    EXPECT_THAT(refusal(with("/switches", {"s", "t", "s"})), HasSubstr("'s' is used twice"));
    EXPECT_THAT(refusal(with("/links/0", 1)), HasSubstr("links[0]: expected an object"));
    EXPECT_THAT(refusal(with("/links/0/a", "zz")), HasSubstr("links[0].a: expected a name listed"));
    EXPECT_THAT(refusal(with("/links/0/a", 0)), HasSubstr("links[0].a"));
    EXPECT_THAT(refusal(with("/links/0/delay_us", -1)), HasSubstr("links[0].delay_us"));
    EXPECT_THAT(refusal(with("/links/0/delay_us", 1e18)), HasSubstr("links[0].delay_us"));
    EXPECT_THAT(refusal(with("/links/0/delay_us", "3")), HasSubstr("found \"3\""));
    EXPECT_THAT(refusal(with("/links/4/b", "a0")), HasSubstr("host 'a0' has 2 links"));
    EXPECT_THAT(refusal(with("/links/0/confidence", 1.5)),
                HasSubstr("links[0].confidence: expected a number"));
    EXPECT_THAT(refusal(with("/links/0/confidence", -0.1)), HasSubstr("from 0 to 1"));
    EXPECT_THAT(refusal(with("/links/0/confidence", nullptr)), HasSubstr("from 0 to 1"));
    EXPECT_THAT(refusal(with("/links/0/standard_error_us", -1)), HasSubstr("links[0].standard_error_us"));
    EXPECT_THAT(refusal(with("/links/0/standard_error_us", 1e18)), HasSubstr("at most an hour"));
    EXPECT_THAT(refusal(with("/meshes", "s")), HasSubstr("meshes: expected an array"));
    EXPECT_THAT(refusal(with("/meshes", {"s", "x"})), HasSubstr("meshes[1]: expected a name listed"));
    EXPECT_THAT(refusal(with("/meshes", {"a0"})), HasSubstr("listed under switches"));
    EXPECT_THAT(refusal(with("/meshes", {"s", "t", "s"})), HasSubstr("'s' is named twice"));
    EXPECT_THAT(refusal("{\"format\": 1e999}"), HasSubstr("number is out of range"));
}

TEST(TopologyJson, IsBounded) {
    EXPECT_THAT(refusal(std::string(100'000, '[')), HasSubstr("nested more than"));
    TopologyCaps caps;
    caps.nodes = 3;
    EXPECT_FALSE(topology_from_json(topology_to_json(two_switches()), caps));
    caps = {};
    caps.bytes = 10;
    EXPECT_FALSE(parse_topology(topology_file(two_switches()), caps));
}

TEST(TopologyNewick, IsRootedAtTheCentreAndQuotesNames) {
    EXPECT_EQ(topology_newick(two_switches()), "((a0:20,a1:20.5)s:2.25,'b 2':3020,c:1)t;\n");
    EXPECT_EQ(topology_newick(Topology{}), ";\n");
    EXPECT_EQ(topology_newick(Topology{{"a", "it's"}, {}, {{0, 1, Delay{3}}}}), "('it''s':3)a;\n");
}

TEST(TopologyDot, QuotesNames) {
    Topology topology = two_switches();
    topology.hosts[0] = "a\"0";
    EXPECT_THAT(topology_dot(topology), HasSubstr("  \"a\\\"0\" [shape=box];\n"));
    EXPECT_THAT(topology_dot(topology),
                HasSubstr("  \"s\" -- \"t\" [label=\"2.25 us\", tooltip=\"2.25 us\"];\n"));
}

TEST(TopologyDot, DashesDoubtfulLinksAndDoublesMeshes) {
    const std::string text = topology_dot(doubtful_switches());
    EXPECT_THAT(text, HasSubstr("  \"s\" [shape=ellipse];\n"));
    EXPECT_THAT(text, HasSubstr("  \"t\" [shape=doublecircle];\n"));
    EXPECT_THAT(text, HasSubstr("  \"a0\" -- \"s\" [label=\"20.0 us\", tooltip=\"20.0 us\"];\n"));
    EXPECT_THAT(text, HasSubstr("  \"s\" -- \"t\" [label=\"2.25 us\", "
                                "tooltip=\"2.25 us ± 0.12 us, 94% sure\", style=dashed];\n"));
}

TEST(TopologyText, DrawsTheTreeWithHostsFolded) {
    EXPECT_EQ(topology_text(two_switches()),
              "t\n"
              "├── c  1.00 us\n"
              "├── b 2  3.02 ms\n"
              "└── s  2.25 us\n"
              "    └── a[0-1]  2 hosts, 20.0-20.5 us\n");
    EXPECT_EQ(topology_text(two_switches(), LineDrawing::ascii),
              "t\n"
              "|-- c  1.00 us\n"
              "|-- b 2  3.02 ms\n"
              "`-- s  2.25 us\n"
              "    `-- a[0-1]  2 hosts, 20.0-20.5 us\n");
    EXPECT_EQ(topology_text(Topology{}), "(no hosts)\n");
    EXPECT_EQ(topology_text(Topology{{"a"}, {}, {}}), "a\n");
}

TEST(TopologyText, TellsDoubtsAndMeshes) {
    Topology topology = doubtful_switches();
    EXPECT_EQ(topology_text(topology),
              "t (no tree inside)\n"
              "├── c  1.00 us\n"
              "├── b 2  3.02 ms, 29% sure\n"
              "└── s  2.25 us, 94% sure\n"
              "    └── a[0-1]  2 hosts, 20.0-20.5 us\n");
    topology.meshes = {4, 5};
    topology.links[0].confidence = 0.5;
    topology.links[1].confidence = 0.75;
    EXPECT_THAT(topology_text(topology), HasSubstr("└── s (no tree inside)  2.25 us, 94% sure\n"
                                                   "    └── a[0-1]  2 hosts, 20.0-20.5 us, 50-75% sure\n"));
    topology.links[1].confidence = 0.96;
    EXPECT_THAT(topology_text(topology), HasSubstr("    ├── a1  20.5 us\n"
                                                   "    └── a0  20.0 us, 50% sure\n"));
}

TEST(TopologyText, SpellsDelays) {
    EXPECT_EQ(delay_text(Delay{0}), "0 us");
    EXPECT_EQ(delay_text(Delay{999.4}), "999 us");
    EXPECT_EQ(delay_text(Delay{999.6}), "1.00 ms");
    EXPECT_EQ(delay_text(Delay{20.07}), "20.1 us");
    EXPECT_EQ(delay_text(Delay{1.5e6}), "1.50 s");
}

TEST(TopologyValue, TravelsAsJson) {
    const TopologyValue value(two_switches());
    const auto back = TopologyValue::from_json(value.to_json());
    ASSERT_TRUE(back);
    EXPECT_EQ(dynamic_cast<const TopologyValue&>(**back).topology(), two_switches());
    EXPECT_EQ((*back)->type(), "topology");
    EXPECT_EQ((*back)->to_text(), topology_text(two_switches()));
    EXPECT_FALSE(TopologyValue::from_json(json::object()));
}

}  // namespace
}  // namespace trellis
