// Host ranges: what expands can be folded, and the folded text means the same hosts.
#include "agentd/model/host_range.hpp"

#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>

namespace {

// Text from outside may hold brackets and the like only as ranges: what comes out holds none.
constexpr std::size_t most_hosts = 2000;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto hosts = trellis::expand_hosts({reinterpret_cast<const char*>(data), size}, most_hosts);
    if (!hosts) return 0;
    if (hosts->size() > most_hosts) std::abort();
    const auto again = trellis::expand_hosts(trellis::fold_hosts(*hosts), most_hosts);
    if (!again) std::abort();
    if (std::set(hosts->begin(), hosts->end()) != std::set(again->begin(), again->end())) std::abort();
    return 0;
}
