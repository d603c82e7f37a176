// Verification: whether a tree that is known still holds, by a sample of the pairs: each host with about six
// others, four of them near to it, so that 3 n pairs are measured. What differs much is measured again; what
// still does shows which hosts or switches have moved. Pure; owned by the command.
#pragma once

#include "agentd/model/topology_query.hpp"
#include "plugins/infer/survey/measuring_plan.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace trellis::plugins::infer {

class Verification final : public MeasuringPlan {
  public:
    // `kept`: of all the hosts in `names`, at least one, perhaps of more. Hosts are numbered by their place
    // in `names`. `seed`: which pairs.
    Verification(const Topology& kept, std::vector<std::string> names, std::uint64_t seed);

    [[nodiscard]] std::optional<Batch> next() override;
    void take(std::span<const PairSample> samples) override;
    void leave_out(HostNumber host) override { out_[host] = true; }
    // The tree, as it was.
    [[nodiscard]] Topology topology() const override;
    [[nodiscard]] std::vector<std::string> remarks() const override { return remarks_; }
    [[nodiscard]] std::size_t measured_pairs() const override { return pairs_.size(); }

    // Once next() is nothing: hosts that hang elsewhere now, or on a link that has changed; none if the tree
    // holds.
    [[nodiscard]] const std::vector<std::string>& moved() const { return moved_; }

  private:
    enum class Stage { all, again, over };
    struct Pair {
        PairSample sample;
        double residual_us = 0;  // what it takes more than the tree says
        bool far = false;
        bool bad = false;
        std::vector<TopologyNode> crossed;  // links, by the node below
    };

    Batch sample_pairs() const;
    Batch bad_pairs() const;
    void judge();
    void judge(bool far);
    [[nodiscard]] std::vector<TopologyNode> links_between(TopologyNode a, TopologyNode b) const;
    void name_moved();
    [[nodiscard]] std::optional<TopologyNode> worst_link() const;
    void name_beyond(TopologyNode node);
    void sum_up();

    std::vector<std::string> names_;
    std::uint64_t seed_;
    Topology topology_;  // host numbers are those of the names
    TopologyQuery tree_;
    std::vector<bool> out_;
    std::vector<Pair> pairs_;
    Stage stage_ = Stage::all;
    bool begun_ = false;
    std::vector<std::string> moved_, remarks_;
};

}  // namespace trellis::plugins::infer
