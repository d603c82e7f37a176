#include "plugins/infer/survey/probe_load.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace trellis::plugins::infer {
namespace {

// Frames of TCP over IPv4 with time stamps: a probe and its answer of 16 bytes each, and the probe's
// acknowledgement; three to open a connection, four to close it, hello and welcome with theirs.
constexpr double empty_frame = 66;
constexpr double bytes_of_probe = 3 * empty_frame + 2 * 16;
constexpr double bytes_of_connection = 11 * empty_frame + 2 * 8 + 52 + 32;

std::string with_commas(std::uint64_t number) {
    const std::string digits = std::to_string(number);
    std::string text;
    for (std::size_t i = 0; i < digits.size(); ++i) {
        if (i > 0 && (digits.size() - i) % 3 == 0) text.push_back(',');
        text.push_back(digits[i]);
    }
    return text;
}

// To two figures, rounded up: a bound.
std::uint64_t rounded_up(double number) {
    if (number < 100) return static_cast<std::uint64_t>(std::ceil(number));
    const double unit = std::pow(10, std::floor(std::log10(number)) - 1);
    return static_cast<std::uint64_t>(std::ceil(number / unit - 1e-9) * unit);
}

}  // namespace

void ProbeLoad::add(std::uint64_t probes, std::uint64_t connections, double per_second) {
    probes_ += probes;
    connections_ += connections;
    most_per_second_ = std::max(most_per_second_, per_second);
}

std::string ProbeLoad::text() const {
    const double bytes = static_cast<double>(probes_) * bytes_of_probe +
                         static_cast<double>(connections_) * bytes_of_connection;
    char megabytes[32];
    std::snprintf(megabytes, sizeof megabytes, "%.*f", bytes < 1e5 ? 3 : 1, bytes / 1e6);
    const double from_all = static_cast<double>(probes_) / std::max(seconds_, 1e-3);
    return "at most " + with_commas(rounded_up(most_per_second_)) + " probes a second from one host, " +
           with_commas(rounded_up(from_all)) + " from all on the average; " + megabytes + " MB in all";
}

}  // namespace trellis::plugins::infer
