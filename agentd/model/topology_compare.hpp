// How far an inferred topology is from the true one. Pure; both are compared as their hosts see them
// (visible_part), so switches that no measurement between hosts could reveal count neither way.
#pragma once

#include "trellis/result.hpp"
#include "trellis/topology.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace trellis {

struct ComparisonPlan {
    std::size_t queries = 100'000;  // random questions on shared links, and random pairs for the delays
    std::uint64_t seed = 1;
};

struct TopologyComparison {
    // Splits of the hosts in two parts of at least two, one for each link between switches (Robinson and
    // Foulds, 1981).
    std::size_t true_splits = 0;
    std::size_t inferred_splits = 0;
    std::size_t false_splits = 0;   // inferred, not true
    std::size_t missed_splits = 0;  // true, not inferred
    bool same_groups = false;       // the hosts of each switch are the same

    // "Do the paths A-B and C-D share a link?" for random pairs of hosts (Shirai 2007, section 5.2.4). Each
    // rate is over the questions of which the true answer is no (false positives) or yes (false negatives).
    std::size_t sharing = 0;      // questions whose true answer is yes
    std::size_t not_sharing = 0;  // questions whose true answer is no
    std::size_t false_positives = 0;
    std::size_t false_negatives = 0;

    // One-way delays between random pairs of hosts, inferred against true.
    Delay median_error{0};
    Delay largest_error{0};
    double median_relative_error = 0;

    [[nodiscard]] std::size_t robinson_foulds() const { return false_splits + missed_splits; }
    [[nodiscard]] double false_positive_rate() const;  // 0 to 1; 0 without a question of that kind
    [[nodiscard]] double false_negative_rate() const;
    [[nodiscard]] double wrong_answer_rate() const;  // over all questions
};

// Both must be valid and have the same host names, in any order; refused otherwise, naming a host that only
// one has.
[[nodiscard]] Result<TopologyComparison> compare_topologies(const Topology& truth, const Topology& inferred,
                                                            const ComparisonPlan& plan = {});

[[nodiscard]] nlohmann::json comparison_to_json(const TopologyComparison& comparison);
[[nodiscard]] std::string comparison_text(const TopologyComparison& comparison);

}  // namespace trellis
