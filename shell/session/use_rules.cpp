#include "shell/session/use_rules.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace trellis {
namespace {

constexpr std::array<std::pair<std::string_view, SpawnWay>, 3> ways{
    {{"ssh", SpawnWay::libssh}, {"ssh-program", SpawnWay::ssh_program}, {"local", SpawnWay::local}}};

constexpr std::string_view root_name = "root";

bool is_local_name(std::string_view name) {
    if (!name.starts_with("local") || name.size() == 5) return false;
    return name.find_first_not_of("0123456789", 5) == std::string_view::npos;
}

std::string quoted(const std::string& text) {
    return text.find_first_of(" ;|&<>()'\"\\`#") == std::string::npos ? text : "'" + text + "'";
}

}  // namespace

std::string_view way_name(SpawnWay way) {
    for (const auto& [name, value] : ways)
        if (value == way) return name;
    return "ssh";
}

Result<SpawnWay> parse_way(std::string_view name) {
    for (const auto& [known, way] : ways)
        if (known == name) return way;
    return invalid("expected ssh, ssh-program or local, not '" + std::string(name) + "'");
}

std::string UseRule::text() const {
    std::string text = "use " + std::string(way_name(way));
    if (end_to_end) text += " --end-to-end";
    if (forward_agent) text += " --forward-agent";
    if (way != SpawnWay::local) text += " " + quoted(from.text());
    return text + " " + quoted(to.text());
}

Result<UseRule> parse_use_rule(const std::vector<std::string>& words) {
    UseRule rule;
    std::vector<std::string> places;
    for (const std::string& word : words) {
        if (word == "--end-to-end")
            rule.end_to_end = true;
        else if (word == "--forward-agent")
            rule.forward_agent = true;
        else
            places.push_back(word);
    }
    if (places.size() < 2 || places.size() > 3) return invalid("expected use WAY [FROM] TO");
    const Result<SpawnWay> way = parse_way(places[0]);
    if (!way) return way.error();
    rule.way = *way;
    Result<HostPattern> from = HostPattern::parse(places.size() == 3 ? places[1] : std::string(here));
    Result<HostPattern> to = HostPattern::parse(places.back());
    if (!from) return from.error();
    if (!to) return to.error();
    rule.from = std::move(*from);
    rule.to = std::move(*to);
    if (rule.way == SpawnWay::local && (places.size() == 3 || rule.end_to_end || rule.forward_agent))
        return invalid("local agents are started here: expected use local TO");
    if (rule.way == SpawnWay::ssh_program && rule.end_to_end)
        return invalid("--end-to-end needs the way ssh");
    return rule;
}

UseRules::Decision UseRules::decide(const std::string& from, const std::string& to) const {
    const std::string place = from == root_name ? std::string(here) : from;
    Decision decision;
    for (const UseRule& rule : rules_) {
        if (!rule.to.matches(to)) continue;
        decision.ruled = true;
        if (!rule.from.matches(place)) continue;
        decision.rule = &rule;
        break;
    }
    return decision;
}

std::optional<Route> UseRules::route(const std::string& from, const std::string& to) const {
    const auto [rule, ruled] = decide(from, to);
    if (rule) {
        const bool forward = rule->forward_agent || (forward_agent_ && rule->way != SpawnWay::local);
        return Route{rule->way, rule->end_to_end, forward, ""};
    }
    if (ruled) return std::nullopt;
    if (!is_local_name(to)) return Route{SpawnWay::libssh, false, forward_agent_, ""};
    if (from != root_name) return std::nullopt;
    return Route{SpawnWay::local, false, false, ""};
}

}  // namespace trellis
