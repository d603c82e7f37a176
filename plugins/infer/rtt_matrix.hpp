// Round-trip times between every two hosts, each with a weight: what a tree is fitted to. A plain value, owned by
// whoever infers from it. It holds one figure for both directions of a pair, may lack pairs, and never knows how
// they were measured.
#pragma once

#include "trellis/result.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trellis::plugins::infer {

class RttMatrix {
  public:
    // Nothing is measured yet.
    explicit RttMatrix(std::vector<std::string> hosts);

    [[nodiscard]] const std::vector<std::string>& hosts() const { return hosts_; }
    [[nodiscard]] std::size_t size() const { return hosts_.size(); }

    // Of a pair, in microseconds; 0 where it is not measured.
    [[nodiscard]] double rtt_us(std::size_t a, std::size_t b) const { return rtts_us_[a * size() + b]; }
    // The inverse of the variance of the round-trip time (1/us^2), or what stands for it; 0: not measured.
    [[nodiscard]] double weight(std::size_t a, std::size_t b) const { return weights_[a * size() + b]; }
    [[nodiscard]] bool measured(std::size_t a, std::size_t b) const { return weight(a, b) > 0; }
    [[nodiscard]] std::size_t measured_pairs() const;

    // Both directions at once; a and b differ, neither figure is negative.
    void set(std::size_t a, std::size_t b, double rtt_us, double weight = 1);

    // Weighs each measured pair by 1/rtt^2, so that errors count in proportion to the round trip. Round trips below a
    // ten-thousandth of the median count as that much.
    void weigh_relatively();

  private:
    std::vector<std::string> hosts_;
    std::vector<double> rtts_us_;
    std::vector<double> weights_;
};

// The failure that no tree can be told of these pairs, naming two hosts that no chain of measured pairs connects.
[[nodiscard]] Result<void> check_connected(const RttMatrix& matrix);

}  // namespace trellis::plugins::infer
