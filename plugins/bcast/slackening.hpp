// Slackening: whether what comes or goes has just become much less, so that the root should hear of it now.
// Pure; a part of a recipient.
#pragma once

#include <cstddef>
#include <deque>

namespace trellis::plugins::bcast {

class Slackening {
  public:
    // To be called every tick, with the bytes until now. Whether it was less in the latest ticks than half of
    // what it was in those before them; that ends when those, too, were slow for the most part.
    bool slackens(double bytes) {
        had_.push_back(bytes);
        if (had_.size() <= 2 * latest) return false;
        if (had_.size() > latest + earlier + 1) had_.pop_front();
        const std::size_t before = had_.size() - 1 - latest;
        return (bytes - had_[before]) / latest <
               (had_[before] - had_.front()) / static_cast<double>(before) / 2;
    }

    static constexpr std::size_t latest = 3, earlier = 20;  // ticks

  private:
    std::deque<double> had_;
};

}  // namespace trellis::plugins::bcast
