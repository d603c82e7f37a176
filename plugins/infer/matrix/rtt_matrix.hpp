// Round-trip times between every two hosts, each with a weight: what a tree is fitted to. A plain value,
// owned by whoever infers from it. It holds one figure for both directions of a pair, may lack pairs, and
// never knows how they were measured.
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

    // Weighs each measured pair by 1/rtt^2, so that errors count in proportion to the round trip. Round trips
    // below a ten-thousandth of the median count as that much.
    void weigh_relatively();

  private:
    std::vector<std::string> hosts_;
    std::vector<double> rtts_us_;
    std::vector<double> weights_;
};

// The failure that no tree can be told of these pairs, naming two hosts that no chain of measured pairs
// connects.
[[nodiscard]] Result<void> check_connected(const RttMatrix& matrix);

// Of a text. More is refused before anything is made of it.
inline constexpr std::size_t most_matrix_bytes = std::size_t{64} << 20;
inline constexpr std::size_t most_matrix_hosts = 2'000;

// Reads round-trip times in milliseconds: one line a host, one field a peer in the same order; fields are
// separated by commas if the first line has one, otherwise by blanks. '#' begins a comment; empty lines do
// not count. A first line that is not all numbers, or that counts the hosts from 0, names them; the first
// field of each line may do so, too, and the two must agree then. Hosts without names are 0, 1, ... Not
// measured: a field that is empty (between commas), "-", "nan", "NA", or -1. The diagonal is ignored. Of the
// two directions of a pair, which should be alike, the lesser counts: what delays a packet on its way only
// adds. A failure names the line, and the field of it.
[[nodiscard]] Result<RttMatrix> parse_rtt_matrix(std::string_view text);

}  // namespace trellis::plugins::infer
