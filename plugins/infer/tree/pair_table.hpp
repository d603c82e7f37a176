// The measured round-trip times between some hosts, every pair in one place. A plain table, owned by whoever
// solves a tree from it; hosts are numbered from 0 within the table.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace trellis::plugins::infer {

class PairTable {
  public:
    explicit PairTable(std::size_t hosts)
        : hosts_(hosts),
          rtt_(hosts * hosts, std::numeric_limits<double>::quiet_NaN()),
          spread_(hosts * hosts, 0),
          weight_(hosts, 1) {}

    [[nodiscard]] std::size_t hosts() const { return hosts_; }
    [[nodiscard]] bool measured(std::size_t a, std::size_t b) const { return !std::isnan(rtt(a, b)); }
    // Microseconds; not a number for a pair that was not measured.
    [[nodiscard]] double rtt(std::size_t a, std::size_t b) const { return rtt_[a * hosts_ + b]; }
    // Of the minima of its sets: the greatest less the least.
    [[nodiscard]] double spread(std::size_t a, std::size_t b) const { return spread_[a * hosts_ + b]; }

    // Where pairs are not known equally well: a pair's variance is that of one of weight 1, divided by both
    // hosts' weights.
    [[nodiscard]] double weight(std::size_t host) const { return weight_[host]; }
    void set_weight(std::size_t host, double weight) { weight_[host] = weight; }

    // A pair that is measured again keeps its least.
    void add(std::size_t a, std::size_t b, double rtt_us, double spread_us) {
        if (a == b || (measured(a, b) && rtt(a, b) <= rtt_us)) return;
        rtt_[a * hosts_ + b] = rtt_[b * hosts_ + a] = rtt_us;
        spread_[a * hosts_ + b] = spread_[b * hosts_ + a] = spread_us;
    }

    void forget(std::size_t a, std::size_t b) {
        rtt_[a * hosts_ + b] = rtt_[b * hosts_ + a] = std::numeric_limits<double>::quiet_NaN();
    }

  private:
    std::size_t hosts_;
    std::vector<double> rtt_, spread_, weight_;
};

}  // namespace trellis::plugins::infer
