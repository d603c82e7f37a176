// The pairs between clusters: some hosts of each stand for it and measure one another, more of them until the
// means between clusters are known so well that short links show. Owned by a Survey.
#pragma once

#include "plugins/infer/survey/batch.hpp"
#include "plugins/infer/survey/solved_cluster.hpp"
#include "plugins/infer/survey/wide_area.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace trellis::plugins::infer {

class WideSurvey {
  public:
    // `confidence`: of a link (survey.hpp). Host numbers are below `host_count`.
    WideSurvey(std::vector<SolvedCluster> clusters, std::size_t host_count, double confidence)
        : clusters_(std::move(clusters)), host_count_(host_count), confidence_(confidence) {}

    // Nothing when enough is known.
    [[nodiscard]] std::optional<Batch> next();
    void take(std::span<const PairSample> samples);

    [[nodiscard]] const std::vector<SolvedCluster>& clusters() const { return clusters_; }
    // Once next() is nothing: of all of them; nothing if there are none.
    [[nodiscard]] const std::optional<WideTree>& tree() const { return tree_; }

  private:
    [[nodiscard]] Batch more() const;
    [[nodiscard]] std::vector<std::vector<HostNumber>> chosen() const;
    [[nodiscard]] bool sure() const;

    std::vector<SolvedCluster> clusters_;
    std::size_t host_count_;
    double confidence_;
    std::vector<PairSample> samples_;
    std::size_t representatives_ = 0;  // at least, of each cluster; 0: nothing has been asked yet
    std::optional<WideTree> tree_;
};

}  // namespace trellis::plugins::infer
