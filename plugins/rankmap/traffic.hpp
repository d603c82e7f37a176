// Traffic: how much each two ranks of an MPI program say to each other, both directions together, in whatever
// unit its maker counts (messages, bytes). Owned by its maker; never changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace trellis::plugins::rankmap {

struct Message {
    std::uint32_t from = 0, to = 0;  // ranks
    float amount = 0;                // finite, not negative
};

struct TrafficPeer {
    std::uint32_t rank = 0;
    float amount = 0;  // more than 0
};

class Traffic {
  public:
    // Messages between the same two ranks add up; those of a rank to itself, or of nothing, do not count.
    Traffic(std::size_t ranks, const std::vector<Message>& messages);

    [[nodiscard]] std::size_t ranks() const { return first_.size() - 1; }
    // Each other rank that this one has to do with, in order; nobody for a number above all ranks.
    [[nodiscard]] std::span<const TrafficPeer> peers(std::size_t rank) const {
        if (rank >= ranks()) return {};
        return std::span(peers_).subspan(first_[rank], first_[rank + 1] - first_[rank]);
    }
    [[nodiscard]] std::size_t pairs() const { return peers_.size() / 2; }
    [[nodiscard]] double total() const { return total_; }
    // Whether every two ranks say equally much to each other, so that no placement is better than another.
    [[nodiscard]] bool uniform() const;

  private:
    void merge_equal_pairs();

    std::vector<std::size_t> first_;
    std::vector<TrafficPeer> peers_;
    double total_ = 0;
};

}  // namespace trellis::plugins::rankmap
