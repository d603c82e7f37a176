#include "plugins/rankmap/traffic_patterns.hpp"

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace trellis::plugins::rankmap {
namespace {

constexpr std::size_t most_ranks_with_all = 4096;

using Messages = std::vector<Message>;

void exchange(Messages& messages, std::size_t a, std::size_t b) {
    const auto from = static_cast<std::uint32_t>(a), to = static_cast<std::uint32_t>(b);
    messages.push_back({from, to, 1});
    messages.push_back({to, from, 1});
}

Messages ring(std::size_t ranks) {
    Messages messages;
    for (std::size_t rank = 0; rank < ranks; ++rank)
        exchange(messages, rank, (rank + 1) % ranks);
    return messages;
}

// The divisor of a number that is nearest to its root of this degree, from below.
std::size_t divisor_near_root(std::size_t number, int degree) {
    auto divisor = static_cast<std::size_t>(std::pow(static_cast<double>(number), 1.0 / degree) + 1e-9);
    while (divisor > 1 && number % divisor != 0)
        --divisor;
    return std::max<std::size_t>(divisor, 1);
}

Messages halo(std::size_t planes, std::size_t rows, std::size_t columns) {
    Messages messages;
    const std::size_t plane = rows * columns;
    for (std::size_t rank = 0; rank < planes * plane; ++rank) {
        if ((rank + 1) % columns != 0) exchange(messages, rank, rank + 1);
        if (rank % plane + columns < plane) exchange(messages, rank, rank + columns);
        if (rank + plane < planes * plane) exchange(messages, rank, rank + plane);
    }
    return messages;
}

Messages halo_of(std::size_t ranks, int dimensions) {
    const std::size_t planes = dimensions == 3 ? divisor_near_root(ranks, 3) : 1;
    const std::size_t rows = divisor_near_root(ranks / planes, 2);
    return halo(planes, rows, ranks / planes / rows);
}

Messages multipartition(std::size_t q) {
    Messages messages;
    const auto rank = [q](std::size_t row, std::size_t column) { return row % q + q * (column % q); };
    for (std::size_t column = 0; column < q; ++column) {
        for (std::size_t row = 0; row < q; ++row) {
            exchange(messages, rank(row, column), rank(row + 1, column));
            exchange(messages, rank(row, column), rank(row, column + 1));
            exchange(messages, rank(row, column), rank(row + q - 1, column + 1));
        }
    }
    return messages;
}

Messages all_to_all(std::size_t ranks) {
    Messages messages;
    messages.reserve(ranks * ranks);
    for (std::size_t a = 0; a < ranks; ++a)
        for (std::size_t b = 0; b < a; ++b)
            exchange(messages, a, b);
    return messages;
}

Messages binomial(std::size_t ranks) {
    Messages messages;
    for (std::size_t rank = 1; rank < ranks; ++rank)
        exchange(messages, rank, rank & (rank - 1));
    return messages;
}

std::size_t root_of_square(std::size_t number) {
    const auto root = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(number))));
    return root * root == number ? root : 0;
}

}  // namespace

Result<Traffic> pattern_traffic(std::string_view name, std::size_t ranks) {
    if (name == "ring") return Traffic(ranks, ring(ranks));
    if (name == "halo-2d") return Traffic(ranks, halo_of(ranks, 2));
    if (name == "halo-3d") return Traffic(ranks, halo_of(ranks, 3));
    if (name == "binomial") return Traffic(ranks, binomial(ranks));
    if (name == "multipartition") {
        const std::size_t q = root_of_square(ranks);
        if (q > 0) return Traffic(ranks, multipartition(q));
        return invalid("multipartition is for a square number of ranks, not for " + std::to_string(ranks));
    }
    if (name != "all-to-all") return invalid("there is no pattern '" + std::string(name) + "'");
    if (ranks <= most_ranks_with_all) return Traffic(ranks, all_to_all(ranks));
    return invalid("all-to-all is for at most " + std::to_string(most_ranks_with_all) + " ranks");
}

}  // namespace trellis::plugins::rankmap
