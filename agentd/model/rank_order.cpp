#include "agentd/model/rank_order.hpp"

#include <map>
#include <optional>
#include <set>
#include <string_view>

#include <nlohmann/json.hpp>

namespace trellis {
namespace {

using nlohmann::json;

constexpr const char* ranks_format = "trellis-ranks";

Failure malformed_ranks(const std::string& where) {
    return Failure{FailureKind::invalid, "read ranks", "", where + ": not as trellis-rankmap(1) says"};
}

std::optional<RankPlace> place_in(const json& object) {
    if (!object.is_object() || object.size() != 2 || !object.contains("host") || !object.contains("slot"))
        return std::nullopt;
    const json &host = object["host"], &slot = object["slot"];
    if (!host.is_string() || host.get_ref<const std::string&>().empty()) return std::nullopt;
    if (!slot.is_number_unsigned() || slot.get<std::uint64_t>() >= most_ranks) return std::nullopt;
    return RankPlace{host.get<std::string>(), slot.get<std::uint32_t>()};
}

}  // namespace

std::vector<std::string> hosts_by_rank(const RankOrder& order) {
    std::vector<std::string> hosts;
    std::set<std::string_view> seen;
    for (const RankPlace& place : order.ranks)
        if (seen.insert(place.host).second) hosts.push_back(place.host);
    return hosts;
}

json RanksValue::to_json() const {
    json ranks = json::array();
    for (const RankPlace& place : order_.ranks)
        ranks.push_back({{"host", place.host}, {"slot", place.slot}});
    return {{"format", ranks_format}, {"version", 1}, {"method", order_.method}, {"ranks", std::move(ranks)}};
}

std::string RanksValue::to_text() const {
    std::string text;
    const auto& ranks = order_.ranks;
    for (std::size_t first = 0; first < ranks.size();) {
        std::size_t end = first + 1;
        while (end < ranks.size() && ranks[end].host == ranks[first].host)
            ++end;
        text += std::to_string(first);
        if (end - first > 1) text += "-" + std::to_string(end - 1);
        text += "  " + ranks[first].host + "\n";
        first = end;
    }
    return text;
}

Result<std::shared_ptr<const Value>> RanksValue::from_json(const json& object) {
    const bool known =
        object.is_object() && object.size() == 4 && object.value("format", json()) == ranks_format &&
        object.value("version", json()) == 1 && object.contains("method") && object["method"].is_string() &&
        object.contains("ranks") && object["ranks"].is_array() && object["ranks"].size() <= most_ranks;
    if (!known) return malformed_ranks("the whole");
    RankOrder order{object["method"].get<std::string>(), {}};
    std::map<std::string, std::uint32_t> slots;
    for (const json& one : object["ranks"]) {
        auto place = place_in(one);
        if (!place || place->slot != slots[place->host]++)
            return malformed_ranks("ranks[" + std::to_string(order.ranks.size()) + "]");
        order.ranks.push_back(std::move(*place));
    }
    return std::shared_ptr<const Value>(std::make_shared<RanksValue>(std::move(order)));
}

}  // namespace trellis
