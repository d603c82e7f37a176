#include "plugins/infer/matrix/rtt_matrix.hpp"

#include <algorithm>
#include <utility>

namespace trellis::plugins::infer {
namespace {

// Of the measured round trips above 0; 1 where there is none.
double median_rtt_us(const RttMatrix& matrix) {
    std::vector<double> rtts_us;
    for (std::size_t a = 0; a < matrix.size(); ++a)
        for (std::size_t b = 0; b < a; ++b)
            if (matrix.measured(a, b) && matrix.rtt_us(a, b) > 0) rtts_us.push_back(matrix.rtt_us(a, b));
    if (rtts_us.empty()) return 1;
    const auto middle = rtts_us.begin() + static_cast<std::ptrdiff_t>(rtts_us.size() / 2);
    std::ranges::nth_element(rtts_us, middle);
    return *middle;
}

}  // namespace

RttMatrix::RttMatrix(std::vector<std::string> hosts)
    : hosts_(std::move(hosts)), rtts_us_(hosts_.size() * hosts_.size()), weights_(rtts_us_.size()) {}

std::size_t RttMatrix::measured_pairs() const {
    return static_cast<std::size_t>(std::ranges::count_if(weights_, [](double w) { return w > 0; })) / 2;
}

void RttMatrix::set(std::size_t a, std::size_t b, double rtt_us, double weight) {
    for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)}) {
        rtts_us_[from * size() + to] = rtt_us;
        weights_[from * size() + to] = weight;
    }
}

void RttMatrix::weigh_relatively() {
    const double least_us = 1e-4 * median_rtt_us(*this);
    for (std::size_t pair = 0; pair < weights_.size(); ++pair) {
        if (weights_[pair] <= 0) continue;
        const double rtt_us = std::max(rtts_us_[pair], least_us);
        weights_[pair] = 1 / (rtt_us * rtt_us);
    }
}

Result<void> check_connected(const RttMatrix& matrix) {
    std::vector<char> reached(matrix.size());
    std::vector<std::size_t> open;
    const auto reach = [&](std::size_t host) {
        reached[host] = 1;
        open.push_back(host);
    };
    if (matrix.size() > 0) reach(0);
    while (!open.empty()) {
        const std::size_t from = open.back();
        open.pop_back();
        for (std::size_t to = 0; to < matrix.size(); ++to)
            if (!reached[to] && matrix.measured(from, to)) reach(to);
    }
    const auto lone = std::ranges::find(reached, char{0});
    if (lone == reached.end()) return {};
    const auto host = static_cast<std::size_t>(lone - reached.begin());
    return unavailable("no chain of measured pairs connects " + matrix.hosts()[host] + " to " +
                       matrix.hosts()[0]);
}

}  // namespace trellis::plugins::infer
