#include "plugins/infer/survey/batch.hpp"

#include <algorithm>
#include <numeric>
#include <random>

namespace trellis::plugins::infer {

std::size_t Batch::pairs() const {
    std::size_t count = 0;
    for (const std::vector<Turn>& of_host : turns)
        count += static_cast<std::size_t>(std::ranges::count(of_host, true, &Turn::measures));
    return count;
}

// The last place stands still, the others go round it; one of an odd number has no partner. In the order of
// the circle a disturbance of some rounds on end would fall upon pairs that look like those of some switches;
// so the rounds come in another order, always the same one for as many hosts.
void Batch::append_tournament(const std::vector<HostNumber>& hosts, std::size_t most_rounds) {
    if (hosts.size() < 2) return;
    const std::size_t places = hosts.size() + hosts.size() % 2;
    std::vector<std::size_t> rounds(places - 1);
    std::iota(rounds.begin(), rounds.end(), std::size_t{0});
    std::mt19937_64 random(places);
    std::ranges::shuffle(rounds, random);
    rounds.resize(std::min(places - 1, most_rounds));
    for (const std::size_t round : rounds)
        for (std::size_t i = 0; i < places / 2; ++i) {
            const std::size_t first = i == 0 ? places - 1 : (round + i) % (places - 1);
            const std::size_t second = (round + places - 1 - i) % (places - 1);
            if (std::max(first, second) >= hosts.size()) continue;
            const bool swap = (i == 0 ? round : i) % 2 == 1;
            const HostNumber a = hosts[swap ? second : first], b = hosts[swap ? first : second];
            turns[a].push_back({b, true});
            turns[b].push_back({a, false});
        }
}

Batch tournament(const std::vector<HostNumber>& hosts, std::size_t host_count, const Probing& probing,
                 std::size_t most_rounds) {
    Batch batch{probing, std::vector<std::vector<Turn>>(host_count)};
    batch.append_tournament(hosts, most_rounds);
    return batch;
}

}  // namespace trellis::plugins::infer
