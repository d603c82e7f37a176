// Texts of other programs that name hosts: lists, tables, groups.
#include "shell/hosts/host_sources.hpp"

#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const trellis::HostText text{"text", {reinterpret_cast<const char*>(data), size}};
    const auto pattern = trellis::HostPattern::parse("a*").value();
    for (const auto& names : {trellis::hosts_of_list(text), trellis::hosts_of_table(text, std::nullopt),
                              trellis::hosts_of_table(text, pattern), trellis::hosts_of_group("all", {text})})
        if (names && names->size() > trellis::most_names_of_a_source) std::abort();
    return 0;
}
