#include "plugins/estimate/collective/schedule.hpp"

namespace trellis::plugins::estimate {

Schedule one_stage(std::size_t hosts) {
    Schedule sends;
    for (std::size_t host = 1; host <= hosts; ++host)
        sends.push_back({0, host});
    return sends;
}

Schedule binomial(std::size_t hosts) {
    Schedule sends;
    for (std::size_t reached = 1; reached <= hosts; reached *= 2)
        for (std::size_t from = 0; from < reached && from + reached <= hosts; ++from)
            sends.push_back({from, from + reached});
    return sends;
}

Schedule chain(std::size_t hosts) {
    Schedule sends;
    for (std::size_t host = 1; host <= hosts; ++host)
        sends.push_back({host - 1, host});
    return sends;
}

Schedule clustered(std::span<const std::vector<std::size_t>> clusters) {
    Schedule sends;
    for (const std::vector<std::size_t>& cluster : clusters.subspan(1))
        sends.push_back({0, cluster.front()});
    for (const std::size_t host : clusters.front())
        sends.push_back({0, host});
    for (const std::vector<std::size_t>& cluster : clusters.subspan(1))
        for (std::size_t place = 1; place < cluster.size(); ++place)
            sends.push_back({cluster.front(), cluster[place]});
    return sends;
}

}  // namespace trellis::plugins::estimate
