#include "plugins/infer/changes/kept_part.hpp"

#include "agentd/model/topology_query.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace trellis::plugins::infer {
namespace {

constexpr std::size_t fewest_kept = 3;
constexpr std::size_t kept_to_joined = 3;  // at least so many of those stand for each of these

std::size_t in_both(const std::vector<std::string>& some, const std::vector<std::string>& others) {
    const std::set<std::string> names(some.begin(), some.end());
    return static_cast<std::size_t>(
        std::ranges::count_if(others, [&](const std::string& name) { return names.contains(name); }));
}

}  // namespace

bool KeptPart::worth_keeping() const {
    return topology.hosts.size() >= fewest_kept && kept_to_joined * joined.size() <= topology.hosts.size();
}

KeptPart kept_part(const KnownTopology& known, const std::vector<std::string>& selected) {
    const std::set<std::string> before(known.topology.hosts.begin(), known.topology.hosts.end());
    KeptPart part;
    std::vector<std::string> stayed;
    for (const std::string& name : selected)
        (before.contains(name) ? stayed : part.joined).push_back(name);
    part.left = before.size() - stayed.size();
    if (!stayed.empty()) part.topology = project(known.topology, stayed).value();
    part.measured = known.measured;
    return part;
}

std::optional<KeptPart> kept_part(std::span<const KnownTopology> known,
                                  const std::vector<std::string>& selected) {
    std::vector<std::pair<std::size_t, std::int64_t>> ranks;  // hosts that it lacks; when, the latest first
    for (const KnownTopology& one : known)
        ranks.emplace_back(selected.size() - in_both(one.topology.hosts, selected), -one.measured);
    if (ranks.empty()) return std::nullopt;
    const auto best = static_cast<std::size_t>(std::ranges::min_element(ranks) - ranks.begin());
    KeptPart part = kept_part(known[best], selected);
    part.newest = best == 0;
    return part;
}

std::string age_text(std::int64_t seconds) {
    constexpr std::int64_t minute = 60, hour = 60 * minute, day = 24 * hour;
    const std::int64_t age = std::max<std::int64_t>(seconds, 0);
    if (age < 2 * minute) return std::to_string(age) + " s";
    if (age < 2 * hour) return std::to_string(age / minute) + " min";
    if (age < 2 * day) return std::to_string(age / hour) + " h";
    return std::to_string(age / day) + " days";
}

}  // namespace trellis::plugins::infer
