#include "shell/hosts/host_values.hpp"

#include "agentd/model/host_range.hpp"

#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

namespace trellis {
namespace {

constexpr std::array<std::string_view, 4> state_names{"known", "alive", "suspect", "lost"};

Failure malformed(const std::string& what) {
    return invalid("expected " + what);
}

bool is_name(const nlohmann::json& json) {
    return json.is_string() && !json.get_ref<const std::string&>().empty();
}

nlohmann::json entry_json(const HostEntry& entry) {
    nlohmann::json addresses = nlohmann::json::array();
    for (const Address& address : entry.host.addresses)
        addresses.push_back({{"ip", address.ip}, {"network", address.network}});
    nlohmann::json json{{"name", entry.host.name},
                        {"state", host_state_name(entry.state)},
                        {"addresses", std::move(addresses)}};
    if (!entry.cause.empty()) json["cause"] = entry.cause;
    return json;
}

// States and addresses of a file are of a time that is over: what is loaded are names.
Result<HostEntry> entry_of(const nlohmann::json& json) {
    if (!json.is_object() || !json.contains("name") || !is_name(json["name"]))
        return malformed("an object with a \"name\" for each host");
    for (const auto& [key, value] : json.items())
        if (key != "name" && key != "state" && key != "addresses" && key != "cause")
            return malformed("name, state, addresses or cause in a host, not \"" + key + "\"");
    HostEntry entry;
    entry.host.name = json["name"].get<std::string>();
    return entry;
}

}  // namespace

std::string_view host_state_name(HostState state) {
    return state_names[static_cast<std::size_t>(state)];
}

nlohmann::json HostsValue::to_json() const {
    nlohmann::json list = nlohmann::json::array();
    for (const HostEntry& entry : entries_)
        list.push_back(entry_json(entry));
    return list;
}

std::string HostsValue::to_text() const {
    std::size_t width = 0;
    for (const HostEntry& entry : entries_)
        width = std::max(width, entry.host.name.size());
    std::string text;
    for (const HostEntry& entry : entries_) {
        text += entry.host.name + std::string(width - entry.host.name.size() + 2, ' ');
        text += host_state_name(entry.state);
        for (const Address& address : entry.host.addresses)
            text += "  " + address.ip;
        if (!entry.cause.empty()) text += "  (" + entry.cause + ")";
        text += "\n";
    }
    return text;
}

Result<std::shared_ptr<const Value>> HostsValue::from_json(const nlohmann::json& json) {
    if (!json.is_array()) return malformed("a list of hosts");
    std::vector<HostEntry> entries;
    for (const nlohmann::json& item : json) {
        Result<HostEntry> entry = entry_of(item);
        if (!entry) return entry.error();
        entries.push_back(std::move(*entry));
    }
    return std::shared_ptr<const Value>(std::make_shared<HostsValue>(std::move(entries)));
}

nlohmann::json SelectionValue::to_json() const {
    return names_;
}

std::string SelectionValue::to_text() const {
    return fold_hosts(names_) + "\n";
}

Result<std::shared_ptr<const Value>> SelectionValue::from_json(const nlohmann::json& json) {
    if (!json.is_array() || !std::all_of(json.begin(), json.end(), is_name))
        return malformed("a list of host names");
    return std::shared_ptr<const Value>(
        std::make_shared<SelectionValue>(json.get<std::vector<std::string>>()));
}

}  // namespace trellis
