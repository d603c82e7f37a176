// Texts of traffic between ranks, and of slots: what is accepted keeps its own rules.
#include "plugins/rankmap/host_slots.hpp"
#include "plugins/rankmap/traffic_text.hpp"

#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace trellis::plugins::rankmap;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    if (const auto slots = read_slots(text))
        for (const auto& [host, count] : slots->own)
            if (host.empty() || count > most_slots) std::abort();
    const auto traffic = parse_traffic(text);
    if (!traffic) return 0;
    for (std::size_t rank = 0; rank < traffic->ranks(); ++rank)
        for (const TrafficPeer& peer : traffic->peers(rank))
            if (peer.rank >= traffic->ranks() || peer.rank == rank || !(peer.amount > 0)) std::abort();
    return 0;
}
