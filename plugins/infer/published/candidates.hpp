// The leaves of a tree among which a search still chooses. Owned by one search; all steps take constant time.
#pragma once

#include "trellis/topology.hpp"

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace trellis::plugins::infer {

class Candidates {
  public:
    // Nodes are numbered below `nodes`; none is a candidate yet.
    Candidates(std::size_t nodes, std::uint64_t seed) : place_(nodes, none), random_(seed) {}

    void add(TopologyNode node) {
        if (contains(node)) return;
        place_[node] = members_.size();
        members_.push_back(node);
    }
    void remove(TopologyNode node) {
        if (!contains(node)) return;
        place_[members_.back()] = place_[node];
        members_[place_[node]] = members_.back();
        members_.pop_back();
        place_[node] = none;
    }
    void clear() {
        while (!members_.empty())
            remove(members_.back());
    }
    [[nodiscard]] bool contains(TopologyNode node) const { return place_[node] != none; }
    [[nodiscard]] bool empty() const { return members_.empty(); }
    [[nodiscard]] const std::vector<TopologyNode>& members() const { return members_; }
    // A random one, which stays; there is one.
    [[nodiscard]] TopologyNode any() { return members_[random_() % members_.size()]; }

  private:
    static constexpr std::size_t none = static_cast<std::size_t>(-1);
    std::vector<TopologyNode> members_;
    std::vector<std::size_t> place_;  // in members_, by node
    std::mt19937_64 random_;
};

}  // namespace trellis::plugins::infer
