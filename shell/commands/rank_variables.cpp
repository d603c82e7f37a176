#include "shell/commands/rank_variables.hpp"

#include "agentd/model/host_range.hpp"
#include "agentd/model/rank_order.hpp"

#include <map>
#include <string>
#include <utility>

namespace trellis {

Result<Places> places_with_ranks(const Session& session, const Seat& seat, const std::vector<Host>& hosts) {
    const auto known = session.bus().get<RanksValue>(RanksValue::type_name);
    if (!known) return unavailable("--ranks: no ranks are placed: run rankmap");
    const std::vector<RankPlace>& ranks = known->order().ranks;
    std::map<std::string, std::string> ranks_of;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
        std::string& text = ranks_of[ranks[rank].host];
        text += (text.empty() ? "" : ",") + std::to_string(rank);
    }
    Places places = seat.places;
    std::vector<std::string> without;
    for (const Host& host : hosts) {
        const auto found = ranks_of.find(host.name);
        if (found == ranks_of.end()) {
            without.push_back(host.name);
            continue;
        }
        Place place = places.of(host.name);
        place.environment["TRELLIS_RANK"] = found->second.substr(0, found->second.find(','));
        place.environment["TRELLIS_RANKS"] = found->second;
        place.environment["TRELLIS_NP"] = std::to_string(ranks.size());
        places.set(host.name, std::move(place));
    }
    if (!without.empty()) return unavailable("--ranks: no rank is placed on " + fold_hosts(without));
    return places;
}

}  // namespace trellis
