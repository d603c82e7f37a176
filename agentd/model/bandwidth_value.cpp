#include "agentd/model/bandwidth_value.hpp"

#include "agentd/model/topology_json.hpp"

#include <cmath>
#include <optional>

#include <nlohmann/json.hpp>

namespace trellis {
namespace {

using nlohmann::json;
using Kind = LinkBandwidth::Kind;

constexpr const char* bandwidth_format = "trellis-bandwidth";

const char* kind_name(Kind kind) {
    if (kind == Kind::measured) return "measured";
    return kind == Kind::at_least ? "at least" : "not measured";
}

std::optional<double> rate_in(const json& object, const char* name) {
    if (!object.contains(name) || !object[name].is_number()) return std::nullopt;
    const double rate = object[name].get<double>();
    return std::isfinite(rate) && rate >= 0 ? std::optional(rate) : std::nullopt;
}

std::optional<LinkBandwidth> bandwidth_in(const json& object) {
    if (!object.is_object() || object.size() != 3 || !object.contains("kind")) return std::nullopt;
    const auto rate = rate_in(object, "bits_per_second"), error = rate_in(object, "standard_error");
    if (!rate || !error) return std::nullopt;
    for (const Kind kind : {Kind::not_measured, Kind::at_least, Kind::measured})
        if (object["kind"] == kind_name(kind)) return LinkBandwidth{kind, *rate, *error};
    return std::nullopt;
}

Failure malformed_bandwidth(const std::string& where) {
    return Failure{FailureKind::invalid, "read bandwidth", "", where + ": not as trellis-bwtree(1) says"};
}

}  // namespace

json link_bandwidth_to_json(const LinkBandwidth& bandwidth) {
    return {{"kind", kind_name(bandwidth.kind)},
            {"bits_per_second", bandwidth.bits_per_second},
            {"standard_error", bandwidth.standard_error}};
}

json BandwidthValue::to_json() const {
    json links = json::array();
    for (std::size_t i = 0; i < tree_.links.size(); ++i) {
        const TopologyLink& link = tree_.topology.links[i];
        links.push_back({{"a", tree_.topology.name(link.a)},
                         {"b", tree_.topology.name(link.b)},
                         {"a_to_b", link_bandwidth_to_json(tree_.links[i][0])},
                         {"b_to_a", link_bandwidth_to_json(tree_.links[i][1])}});
    }
    return {{"format", bandwidth_format},
            {"version", 1},
            {"topology", topology_to_json(tree_.topology)},
            {"links", std::move(links)}};
}

std::string BandwidthValue::to_text() const {
    return bandwidth_tree_text(tree_);
}

Result<std::shared_ptr<const Value>> BandwidthValue::from_json(const json& object) {
    const bool known = object.is_object() && object.size() == 4 &&
                       object.value("format", json()) == bandwidth_format &&
                       object.value("version", json()) == 1 && object.contains("topology") &&
                       object.contains("links") && object["links"].is_array();
    if (!known) return malformed_bandwidth("the whole");
    Result<Topology> topology = topology_from_json(object["topology"]);
    if (!topology) return topology.error();
    TopologyBandwidth tree{std::move(*topology), {}};
    if (object["links"].size() != tree.topology.links.size()) return malformed_bandwidth("links");
    for (const json& one : object["links"]) {
        const std::string where = "links[" + std::to_string(tree.links.size()) + "]";
        const TopologyLink& link = tree.topology.links[tree.links.size()];
        const bool same = one.is_object() && one.size() == 4 &&
                          one.value("a", json()) == tree.topology.name(link.a) &&
                          one.value("b", json()) == tree.topology.name(link.b);
        if (!same || !one.contains("a_to_b") || !one.contains("b_to_a")) return malformed_bandwidth(where);
        const auto there = bandwidth_in(one["a_to_b"]), back = bandwidth_in(one["b_to_a"]);
        if (!there || !back) return malformed_bandwidth(where);
        tree.links.push_back({*there, *back});
    }
    return std::shared_ptr<const Value>(std::make_shared<BandwidthValue>(std::move(tree)));
}

}  // namespace trellis
