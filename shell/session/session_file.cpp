#include "shell/session/session_file.hpp"

#include "shell/language/command_line.hpp"

#include <set>
#include <utility>

#include <nlohmann/json.hpp>

namespace trellis {
namespace {

using Json = nlohmann::json;

constexpr std::string_view format_name = "trellis-session";
constexpr int format_version = 1;

Failure malformed(const std::string& where, const std::string& what) {
    return invalid(where + ": " + what);
}

Json value_json(const Retained& retained) {
    return {{"name", retained.name}, {"type", retained.value->type()}, {"hosts", retained.hosts},
            {"view", retained.view}, {"time", retained.unix_time},     {"value", retained.value->to_json()}};
}

// Checks the members of an object one by one; the first thing that is wrong stays in failure().
class Members {
  public:
    Members(const Json& object, std::string where, const std::set<std::string>& known)
        : object_(object), where_(std::move(where)) {
        if (!object.is_object()) {
            fail("", "expected an object");
            return;
        }
        for (const auto& [key, value] : object.items())
            if (!known.contains(key)) fail(key, "not known in this version");
        for (const std::string& key : known)
            if (!object.contains(key)) fail(key, "missing");
    }
    template <class T>
    T get(const std::string& key, const char* what) {
        if (failure_) return T{};
        try {
            return object_.at(key).get<T>();
        } catch (const Json::exception&) {
            fail(key, std::string("expected ") + what);
            return T{};
        }
    }
    [[nodiscard]] const std::optional<Failure>& failure() const { return failure_; }
    void fail(const std::string& key, const std::string& what) {
        if (!failure_) failure_ = malformed(where_ + (where_.empty() || key.empty() ? "" : ".") + key, what);
    }

  private:
    const Json& object_;
    std::string where_;
    std::optional<Failure> failure_;
};

Result<Retained> read_value(const Session& session, const Json& json, const std::string& where) {
    Members members(json, where, {"name", "type", "hosts", "view", "time", "value"});
    Retained retained;
    retained.name = members.get<std::string>("name", "a string");
    retained.hosts = members.get<std::vector<std::string>>("hosts", "a list of host names");
    retained.view = members.get<std::uint64_t>("view", "a number");
    retained.unix_time = members.get<std::int64_t>("time", "a number");
    const auto type_name = members.get<std::string>("type", "a string");
    const ValueType* type = session.value_type(type_name);
    if (!type) members.fail("type", "no type of value is called '" + type_name + "' here");
    if (members.failure()) return *members.failure();
    auto value = type->from_json(json.at("value"));
    if (!value) return malformed(where + ".value", value.error().message());
    retained.value = std::move(*value);
    return retained;
}

Result<UseRule> read_rule(const std::string& text, const std::string& where) {
    Result<std::vector<Statement>> parsed = parse_command_line(text);
    if (!parsed) return malformed(where, parsed.error().message());
    if (parsed->size() != 1 || parsed->front().words.empty() || parsed->front().words[0].text != "use")
        return malformed(where, "expected one use command");
    std::vector<std::string> words;
    for (const Word& word : parsed->front().words)
        words.push_back(word.text);
    Result<UseRule> rule = parse_use_rule({words.begin() + 1, words.end()});
    if (!rule) return malformed(where, rule.error().message());
    return rule;
}

Result<PlaceGroup> read_place(const Json& json, const std::string& where) {
    Members members(json, where, {"hosts", "directory", "previous", "environment"});
    PlaceGroup group;
    group.hosts = members.get<std::vector<std::string>>("hosts", "a list of host names");
    group.place.directory = members.get<std::string>("directory", "a string");
    group.place.previous = members.get<std::string>("previous", "a string");
    group.place.environment =
        members.get<std::map<std::string, std::string>>("environment", "an object of strings");
    if (members.failure()) return *members.failure();
    return group;
}

Result<Masks> read_masks(const Json& json) {
    Members members(json, "masks", {"current", "saved", "stack"});
    auto current = members.get<Mask>("current", "a list of host names");
    auto saved = members.get<std::map<std::string, Mask>>("saved", "an object of lists of host names");
    auto stack = members.get<std::vector<Mask>>("stack", "a list of lists of host names");
    if (members.failure()) return *members.failure();
    return Masks(std::move(current), std::move(saved), std::move(stack));
}

Json masks_json(const Masks& masks) {
    return {{"current", masks.current()}, {"saved", masks.saved()}, {"stack", masks.stack()}};
}

Json places_json(const Places& places) {
    Json list = Json::array();
    for (const auto& [place, hosts] : places.groups())
        list.push_back({{"hosts", hosts},
                        {"directory", place.directory},
                        {"previous", place.previous},
                        {"environment", place.environment}});
    return list;
}

// Each element of a list by `read`, which is told where it stands.
template <class T, class List, class Read>
Result<std::vector<T>> read_list(const List& list, const std::string& name, const Read& read) {
    std::vector<T> elements;
    for (std::size_t i = 0; i < list.size(); ++i) {
        Result<T> element = read(list[i], name + "[" + std::to_string(i) + "]");
        if (!element) return element.error();
        elements.push_back(std::move(*element));
    }
    return elements;
}

struct Contents {
    Masks masks;
    Places places;
    std::vector<UseRule> rules;
    std::vector<Retained> values;
};

Result<std::shared_ptr<const Json>> parse_json(std::string_view text) {
    try {
        return std::make_shared<const Json>(Json::parse(text));
    } catch (const Json::exception& error) {
        return malformed("not JSON", error.what());
    }
}

Result<Contents> read_contents(const Session& session, const Json& json) {
    Members members(json, "", {"format", "version", "time", "use", "masks", "places", "values"});
    if (members.get<std::string>("format", "a string") != format_name)
        members.fail("format", "expected " + std::string(format_name));
    if (members.get<int>("version", "a number") != format_version)
        members.fail("version", "expected " + std::to_string(format_version));
    Contents contents;
    const auto rules = members.get<std::vector<std::string>>("use", "a list of use commands");
    const auto places = members.get<std::vector<Json>>("places", "a list");
    const auto values = members.get<std::vector<Json>>("values", "a list");
    if (members.failure()) return *members.failure();
    Result<std::vector<UseRule>> read_rules = read_list<UseRule>(rules, "use", read_rule);
    if (!read_rules) return read_rules.error();
    contents.rules = std::move(*read_rules);
    Result<Masks> masks = read_masks(json.at("masks"));
    if (!masks) return masks.error();
    contents.masks = std::move(*masks);
    const Result<std::vector<PlaceGroup>> read_places = read_list<PlaceGroup>(places, "places", read_place);
    if (!read_places) return read_places.error();
    contents.places = Places(*read_places);
    const auto value_of = [&session](const Json& value, const std::string& where) {
        return read_value(session, value, where);
    };
    Result<std::vector<Retained>> read_values = read_list<Retained>(values, "values", value_of);
    if (!read_values) return read_values.error();
    contents.values = std::move(*read_values);
    return contents;
}

// Live values are not replaced by old ones: `hosts` gives names, and `selection` is what the masks say.
void restore_value(Session& session, const Retained& retained) {
    if (const auto hosts = std::dynamic_pointer_cast<const HostsValue>(retained.value);
        hosts && retained.name == "hosts") {
        std::vector<std::string> names;
        for (const HostEntry& entry : hosts->entries())
            names.push_back(entry.host.name);
        session.name_hosts(names);
        session.publish_hosts();
    } else if (retained.name != "selection") {
        Retained old = retained;
        old.view = 0;  // of another session
        session.bus().restore(std::move(old));
    }
}

}  // namespace

std::string retained_text(const Retained& retained) {
    return value_json(retained).dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<Retained> read_retained(const Session& session, std::string_view text) {
    const auto json = parse_json(text);
    if (!json) return json.error();
    return read_value(session, **json, "value");
}

Result<UseRule> read_use_rule(const std::string& text) {
    return read_rule(text, "use");
}

Result<std::string> session_text(Session& session, const Seat& seat, const std::vector<std::string>& topics) {
    Json values = Json::array();
    for (const std::string& name : topics.empty() ? session.bus().topics() : topics) {
        const Retained* retained = session.bus().find(name);
        if (!retained) return unavailable("no value is called '" + name + "'");
        values.push_back(value_json(*retained));
    }
    Json rules = Json::array();
    for (const UseRule& rule : session.rules().rules())
        rules.push_back(rule.text());
    const Json json{{"format", format_name},
                    {"version", format_version},
                    {"time", session.unix_time()},
                    {"use", std::move(rules)},
                    {"masks", masks_json(seat.masks())},
                    {"places", places_json(seat.places)},
                    {"values", std::move(values)}};
    return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<std::vector<std::string>> restore_session(Session& session, Seat& seat, std::string_view text) {
    const auto json = parse_json(text);
    if (!json) return json.error();
    Result<Contents> contents = read_contents(session, **json);
    if (!contents) return contents.error();
    seat.places = std::move(contents->places);
    seat.change_masks([&contents](Masks& masks) { masks.load(std::move(contents->masks)); });
    session.rules().clear();
    for (UseRule& rule : contents->rules)
        session.rules().add(std::move(rule));
    std::vector<std::string> names;
    for (const Retained& retained : contents->values) {
        restore_value(session, retained);
        names.push_back(retained.name);
    }
    return names;
}

}  // namespace trellis
