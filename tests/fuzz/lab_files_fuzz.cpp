// Descriptions of laboratories: what is accepted can be asked for every link and delay.
#include "tests/lab/topology_file.hpp"

#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <variant>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto parsed = trellis::lab::parse_topology({reinterpret_cast<const char*>(data), size});
    const auto* file = std::get_if<trellis::lab::TopologyFile>(&parsed);
    if (file == nullptr) return 0;
    for (const auto& link : trellis::lab::parent_links(*file)) {
        if (!trellis::lab::find_link(*file, link.child)) std::abort();
    }
    if (file->hosts.size() > 1) {
        (void)trellis::lab::one_way_delay(*file, file->hosts.front().name, file->hosts.back().name);
    }
    return 0;
}
