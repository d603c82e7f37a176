#include "agentd/model/topology_json.hpp"

#include "agentd/model/topology_query.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <unordered_map>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace trellis {
namespace {

using nlohmann::json;

constexpr std::string_view format_name = "trellis-topology";
constexpr int format_version = 1;
constexpr int deepest_nesting = 8;

// Thrown inside this file only; becomes a Failure at its border.
struct Malformed {
    std::string cause;
};

std::string brief(const json& value) {
    if (value.is_structured()) return value.is_object() ? "an object" : "an array";
    std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
    if (text.size() > 40) text = text.substr(0, 37) + "...";
    return text;
}

[[noreturn]] void refuse(const std::string& where, std::string_view expected, const json& found) {
    throw Malformed{where + ": expected " + std::string(expected) + ", found " + brief(found)};
}

using Names = std::initializer_list<std::string_view>;

// The object at `where` has all of these members, and besides them at most those that are optional.
void check_members(const json& object, const std::string& where, Names names, Names optional) {
    if (!object.is_object()) refuse(where, "an object", object);
    const auto listed = [](Names list, const std::string& name) {
        return std::ranges::find(list, name) != list.end();
    };
    for (const auto& member : object.items())
        if (!listed(names, member.key()) && !listed(optional, member.key()))
            throw Malformed{where + ": unknown member " + brief(json(member.key()))};
    for (const std::string_view name : names)
        if (!object.contains(name))
            throw Malformed{where + ": the member '" + std::string(name) + "' is missing"};
}

bool is_plain(std::string_view name) {
    return std::ranges::none_of(name,
                                [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

class TopologyReader {
  public:
    explicit TopologyReader(const TopologyCaps& caps) : caps_(caps) {}

    Topology read(const json& object) {
        check_members(object, "topology", {"format", "version", "hosts", "switches", "links"}, {"meshes"});
        if (object["format"] != format_name) refuse("format", "\"trellis-topology\"", object["format"]);
        if (object["version"] != format_version) refuse("version", "1", object["version"]);
        read_names(object["hosts"], "hosts", topology_.hosts);
        read_names(object["switches"], "switches", topology_.switches);
        for (TopologyNode node = 0; node < topology_.node_count(); ++node)
            by_name_[topology_.name(node)] = node;
        read_links(object["links"]);
        if (object.contains("meshes")) read_meshes(object["meshes"]);
        if (auto valid = validate(topology_); !valid) throw Malformed{valid.error().cause};
        return std::move(topology_);
    }

  private:
    void read_names(const json& list, const std::string& where, std::vector<std::string>& names) {
        if (!list.is_array()) refuse(where, "an array of names", list);
        if (list.size() > caps_.nodes)
            throw Malformed{where + ": at most " + std::to_string(caps_.nodes) + " are allowed"};
        for (std::size_t i = 0; i < list.size(); ++i) {
            const std::string at = where + "[" + std::to_string(i) + "]";
            if (!list[i].is_string()) refuse(at, "a name in quotes", list[i]);
            const auto& name = list[i].get_ref<const std::string&>();
            if (name.empty() || name.size() > caps_.name_bytes || !is_plain(name))
                refuse(at,
                       "a name of 1 to " + std::to_string(caps_.name_bytes) +
                           " bytes without control characters",
                       list[i]);
            names.push_back(name);
        }
    }

    void read_links(const json& list) {
        if (!list.is_array()) refuse("links", "an array of links", list);
        if (list.size() > 2 * caps_.nodes)
            throw Malformed{"links: at most " + std::to_string(2 * caps_.nodes) + " are allowed"};
        for (std::size_t i = 0; i < list.size(); ++i) {
            const std::string at = "links[" + std::to_string(i) + "]";
            topology_.links.push_back(read_link(list[i], at));
        }
    }

    TopologyLink read_link(const json& object, const std::string& at) {
        check_members(object, at, {"a", "b", "delay_us"}, {"confidence", "standard_error_us"});
        TopologyLink link{read_node(object["a"], at + ".a"), read_node(object["b"], at + ".b"),
                          read_delay(object["delay_us"], at + ".delay_us")};
        if (object.contains("confidence"))
            link.confidence = read_confidence(object["confidence"], at + ".confidence");
        if (object.contains("standard_error_us"))
            link.standard_error = read_delay(object["standard_error_us"], at + ".standard_error_us");
        return link;
    }

    void read_meshes(const json& list) {
        if (!list.is_array()) refuse("meshes", "an array of names of switches", list);
        if (list.size() > caps_.nodes)
            throw Malformed{"meshes: at most " + std::to_string(caps_.nodes) + " are allowed"};
        for (std::size_t i = 0; i < list.size(); ++i) {
            const std::string at = "meshes[" + std::to_string(i) + "]";
            const TopologyNode node = read_node(list[i], at);
            if (topology_.is_host(node)) refuse(at, "a name listed under switches", list[i]);
            topology_.meshes.push_back(node);
        }
        std::ranges::sort(topology_.meshes);
        const auto twice = std::ranges::adjacent_find(topology_.meshes);
        if (twice != topology_.meshes.end())
            throw Malformed{"meshes: '" + topology_.name(*twice) + "' is named twice"};
    }

    TopologyNode read_node(const json& value, const std::string& where) {
        if (!value.is_string()) refuse(where, "the name of a host or switch", value);
        const auto found = by_name_.find(value.get_ref<const std::string&>());
        if (found == by_name_.end()) refuse(where, "a name listed under hosts or switches", value);
        return found->second;
    }

    Delay read_delay(const json& value, const std::string& where) {
        const bool usable =
            value.is_number() && value.get<double>() >= 0 && value.get<double>() <= caps_.delay.count();
        if (!usable) refuse(where, "microseconds, 0 or more, at most an hour", value);
        return Delay{value.get<double>()};
    }

    static double read_confidence(const json& value, const std::string& where) {
        const bool usable = value.is_number() && value.get<double>() >= 0 && value.get<double>() <= 1;
        if (!usable) refuse(where, "a number from 0 to 1", value);
        return value.get<double>();
    }

    const TopologyCaps& caps_;
    Topology topology_;
    std::unordered_map<std::string_view, TopologyNode> by_name_;
};

std::string line_and_column(std::string_view text, std::size_t byte) {
    const std::string_view before = text.substr(0, std::min(byte, text.size()));
    const auto line = std::ranges::count(before, '\n') + 1;
    const std::size_t start = before.rfind('\n') + 1;  // npos + 1 is 0
    return "line " + std::to_string(line) + ", column " +
           std::to_string(std::max<std::size_t>(before.size() - start, 1));
}

json parse_bounded(std::string_view text) {
    const auto watch = [](int depth, json::parse_event_t, json&) {
        if (depth > deepest_nesting)
            throw Malformed{"nested more than " + std::to_string(deepest_nesting) + " levels deep"};
        return true;
    };
    try {
        return json::parse(text, watch);
    } catch (const json::parse_error& error) {
        throw Malformed{line_and_column(text, error.byte) + ": not JSON"};
    } catch (const json::exception&) {
        throw Malformed{"a number is out of range"};
    }
}

Failure failure(std::string cause) {
    return Failure{FailureKind::invalid, "read topology", "", std::move(cause)};
}

json link_to_json(const Topology& topology, const TopologyLink& link) {
    json object{{"a", topology.name(link.a)}, {"b", topology.name(link.b)}, {"delay_us", link.delay.count()}};
    if (link.confidence != 1) object["confidence"] = link.confidence;
    if (link.standard_error != Delay{0}) object["standard_error_us"] = link.standard_error.count();
    return object;
}

}  // namespace

json topology_to_json(const Topology& topology) {
    json links = json::array();
    for (const TopologyLink& link : topology.links)
        links.push_back(link_to_json(topology, link));
    json object{{"format", format_name},
                {"version", format_version},
                {"hosts", topology.hosts},
                {"switches", topology.switches},
                {"links", std::move(links)}};
    for (const TopologyNode node : topology.meshes)
        object["meshes"].push_back(topology.name(node));
    return object;
}

Result<Topology> topology_from_json(const json& object, const TopologyCaps& caps) {
    try {
        return TopologyReader(caps).read(object);
    } catch (const Malformed& malformed) {
        return failure(malformed.cause);
    }
}

Result<Topology> parse_topology(std::string_view text, const TopologyCaps& caps) {
    if (text.size() > caps.bytes)
        return failure("a topology file has at most " + std::to_string(caps.bytes) + " bytes");
    try {
        return TopologyReader(caps).read(parse_bounded(text));
    } catch (const Malformed& malformed) {
        return failure(malformed.cause);
    }
}

std::string topology_file(const Topology& topology) {
    const auto line = [](const json& value) {
        return value.dump(-1, ' ', false, json::error_handler_t::replace);
    };
    std::string text =
        "{\"format\": \"" + std::string(format_name) + "\", \"version\": " + std::to_string(format_version) +
        ",\n \"hosts\": " + line(topology.hosts) + ",\n \"switches\": " + line(topology.switches);
    const json all = topology_to_json(topology);
    if (all.contains("meshes")) text += ",\n \"meshes\": " + line(all["meshes"]);
    text += ",\n \"links\": [";
    const char* separator = "\n  ";
    for (const json& link : all["links"])
        text += std::exchange(separator, ",\n  ") + line(link);
    return text + "]}\n";
}

}  // namespace trellis
