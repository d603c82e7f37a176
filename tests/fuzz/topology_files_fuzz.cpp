// Topology files, trellis-topology(5): what is accepted is written and read back as the same file.
#include "agentd/model/topology_json.hpp"

#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto topology = trellis::parse_topology({reinterpret_cast<const char*>(data), size});
    if (!topology) return 0;
    const std::string text = trellis::topology_file(*topology);
    const auto again = trellis::parse_topology(text);
    if (!again || trellis::topology_file(*again) != text) std::abort();
    return 0;
}
