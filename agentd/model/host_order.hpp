// Orders of hosts that know nothing of the network: by name, and by lot. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace trellis {

// Places in the list of names, each once: by name, numbers in it by their value; equal ones as they stand.
[[nodiscard]] std::vector<std::size_t> name_order(const std::vector<std::string>& names);

// Each order equally likely; one seed gives one order, on every machine.
[[nodiscard]] std::vector<std::size_t> random_order(std::size_t hosts, std::uint64_t seed);

}  // namespace trellis
