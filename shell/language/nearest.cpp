#include "shell/language/nearest.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace trellis {

std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
    std::iota(above.begin(), above.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t change = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = std::min({above[j] + 1, row[j - 1] + 1, change});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], before[j - 2] + 1);
        }
        std::swap(before, above);
        std::swap(above, row);
    }
    return above[b.size()];
}

std::optional<std::string> nearest(std::string_view name, std::span<const std::string> candidates) {
    constexpr std::size_t longest = 64;  // nobody mistypes a name of that length by chance
    if (name.empty() || name.size() > longest) return std::nullopt;
    std::size_t best = std::max<std::size_t>(1, name.size() / 3) + 1;
    std::optional<std::string> found;
    for (const std::string& candidate : candidates) {
        if (candidate.size() > longest) continue;
        const bool abbreviation = name.size() > 1 && candidate.starts_with(name);
        const std::size_t distance = abbreviation ? 1 : edit_distance(name, candidate);
        if (distance >= best || distance >= std::max(name.size(), candidate.size())) continue;
        best = distance;
        found = candidate;
    }
    return found;
}

std::string did_you_mean(std::string_view name, std::span<const std::string> candidates) {
    const std::optional<std::string> found = nearest(name, candidates);
    return found ? "; did you mean " + *found + "?" : "";
}

}  // namespace trellis
