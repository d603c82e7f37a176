#include "plugins/rankmap/host_slots.hpp"

#include "agentd/model/host_range.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace trellis::plugins::rankmap {
namespace {

Failure wrong(std::string_view item, const std::string& cause) {
    return invalid("'" + std::string(item) + "': " + cause);
}

std::optional<std::uint32_t> count_in(std::string_view text) {
    std::uint32_t count = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, count);
    if (error != std::errc() || rest != end || count > most_slots) return std::nullopt;
    return count;
}

// Up to the next comma that no bracket encloses; takes it off.
std::string_view take_item(std::string_view& text) {
    int open = 0;
    std::size_t end = 0;
    for (; end < text.size() && (text[end] != ',' || open > 0); ++end)
        open += text[end] == '[' ? 1 : text[end] == ']' ? -1 : 0;
    const std::string_view item = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return item;
}

Result<void> add_item(std::string_view item, HostSlots& slots) {
    const std::size_t equals = item.find('=');
    const bool for_all = equals == std::string_view::npos;
    const auto count = count_in(for_all ? item : item.substr(equals + 1));
    if (!count) return wrong(item, "expected N or HOST=N, N from 0 to " + std::to_string(most_slots));
    if (for_all) {
        slots.usual = *count;
        return {};
    }
    const auto hosts = expand_hosts(item.substr(0, equals));
    if (!hosts) return wrong(item, hosts.error().message());
    if (hosts->empty()) return wrong(item, "no host before =");
    for (const std::string& host : *hosts)
        if (!slots.own.emplace(host, *count).second) return wrong(item, host + " has its slots twice");
    return {};
}

}  // namespace

Result<std::vector<std::uint32_t>> HostSlots::of(const std::vector<std::string>& hosts) const {
    std::vector<std::uint32_t> slots;
    std::size_t found = 0;
    for (const std::string& host : hosts) {
        const auto other = own.find(host);
        slots.push_back(other == own.end() ? usual : other->second);
        if (other != own.end()) ++found;
    }
    if (found == own.size()) return slots;
    for (const auto& [host, count] : own)
        if (std::ranges::find(hosts, host) == hosts.end()) return invalid(host + " is none of the hosts");
    return slots;
}

Result<HostSlots> read_slots(std::string_view text) {
    HostSlots slots;
    if (text.empty()) return wrong(text, "expected N or HOST=N");
    while (!text.empty())
        if (const auto added = add_item(take_item(text), slots); !added) return added.error();
    return slots;
}

}  // namespace trellis::plugins::rankmap
