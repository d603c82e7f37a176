#include "agentd/model/host_order.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <string_view>
#include <utility>

namespace trellis {
namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// The digits at the beginning, without leading zeros; takes them off.
std::string_view take_number(std::string_view& text) {
    const std::size_t size =
        static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_digit) - text.begin());
    std::string_view digits = text.substr(0, size);
    text.remove_prefix(size);
    digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
    return digits;
}

bool comes_before(std::string_view a, std::string_view b) {
    while (!a.empty() && !b.empty()) {
        if (is_digit(a[0]) && is_digit(b[0])) {
            const std::string_view first = take_number(a), second = take_number(b);
            if (first.size() != second.size()) return first.size() < second.size();
            if (first != second) return first < second;
        } else {
            if (a[0] != b[0]) return a[0] < b[0];
            a.remove_prefix(1);
            b.remove_prefix(1);
        }
    }
    return a.size() < b.size();
}

}  // namespace

std::vector<std::size_t> name_order(const std::vector<std::string>& names) {
    std::vector<std::size_t> order(names.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return comes_before(names[a], names[b]); });
    return order;
}

std::vector<std::size_t> random_order(std::size_t hosts, std::uint64_t seed) {
    std::vector<std::size_t> order(hosts);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::mt19937_64 random(seed);
    for (std::size_t i = hosts; i > 1; --i)
        std::swap(order[i - 1], order[random() % i]);
    return order;
}

}  // namespace trellis
