#include "agentd/model/topology_compare.hpp"

#include "agentd/model/topology_query.hpp"

#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace trellis {
namespace {

// A split is known by the exclusive-or of a random 128-bit mark for each host of the part without host 0. Two
// different splits collide with a probability of about 1e-38.
using Mark = std::array<std::uint64_t, 2>;

Mark operator^(const Mark& a, const Mark& b) {
    return {a[0] ^ b[0], a[1] ^ b[1]};
}

std::set<Mark> splits(const Topology& topology, const std::vector<Mark>& marks) {
    std::set<Mark> found;
    if (topology.hosts.empty()) return found;
    const TopologyQuery query(topology, 0);  // so that no subtree below the root's child holds host 0
    for (auto node = static_cast<TopologyNode>(topology.hosts.size()); node < topology.node_count(); ++node) {
        const auto below = query.hosts_below(node);
        if (below.size() < 2 || topology.hosts.size() - below.size() < 2) continue;
        Mark mark{};
        for (const TopologyNode host : below)
            mark = mark ^ marks[host];
        found.insert(mark);
    }
    return found;
}

void compare_splits(const Topology& truth, const Topology& inferred, std::uint64_t seed,
                    TopologyComparison& result) {
    std::mt19937_64 random(seed);
    std::vector<Mark> marks(truth.hosts.size());
    for (Mark& mark : marks)
        mark = {random(), random()};
    const std::set<Mark> in_truth = splits(truth, marks), in_inferred = splits(inferred, marks);
    result.true_splits = in_truth.size();
    result.inferred_splits = in_inferred.size();
    const auto common = static_cast<std::size_t>(
        std::ranges::count_if(in_inferred, [&](const Mark& mark) { return in_truth.contains(mark); }));
    result.false_splits = in_inferred.size() - common;
    result.missed_splits = in_truth.size() - common;
}

class Questions {
  public:
    Questions(std::size_t hosts, std::uint64_t seed)
        : random_(seed), host_(0, static_cast<TopologyNode>(hosts - 1)) {}

    // Two different hosts.
    std::pair<TopologyNode, TopologyNode> pair() {
        const TopologyNode a = host_(random_);
        TopologyNode b = a;
        while (b == a)
            b = host_(random_);
        return {a, b};
    }

  private:
    std::mt19937_64 random_;
    std::uniform_int_distribution<TopologyNode> host_;
};

void compare_sharing(const TopologyQuery& truth, const TopologyQuery& inferred, Questions questions,
                     std::size_t count, TopologyComparison& result) {
    for (std::size_t i = 0; i < count; ++i) {
        const auto [a, b] = questions.pair();
        const auto [c, d] = questions.pair();
        const bool share = truth.share_link(a, b, c, d);
        const bool answer = inferred.share_link(a, b, c, d);
        ++(share ? result.sharing : result.not_sharing);
        if (answer && !share) ++result.false_positives;
        if (share && !answer) ++result.false_negatives;
    }
}

double median(std::vector<double>& numbers) {
    const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
    std::ranges::nth_element(numbers, middle);
    return *middle;
}

void compare_delays(const TopologyQuery& truth, const TopologyQuery& inferred, Questions questions,
                    std::size_t count, TopologyComparison& result) {
    std::vector<double> errors, relative;
    for (std::size_t i = 0; i < count; ++i) {
        const auto [a, b] = questions.pair();
        const Delay expected = truth.distance(a, b);
        const double error = std::abs((inferred.distance(a, b) - expected).count());
        errors.push_back(error);
        if (expected.count() > 0) relative.push_back(error / expected.count());
    }
    result.largest_error = Delay{*std::ranges::max_element(errors)};
    result.median_error = Delay{median(errors)};
    if (!relative.empty()) result.median_relative_error = median(relative);
}

Result<void> check_hosts(const Topology& truth, const Topology& inferred) {
    for (const auto* topology : {&truth, &inferred})
        if (auto valid = validate(*topology); !valid) return valid;
    std::vector<std::string> in_truth = truth.hosts, in_inferred = inferred.hosts, only;
    std::ranges::sort(in_truth);
    std::ranges::sort(in_inferred);
    std::ranges::set_symmetric_difference(in_truth, in_inferred, std::back_inserter(only));
    if (only.empty()) return {};
    const bool missing = std::ranges::binary_search(in_truth, only.front());
    return Failure{FailureKind::invalid, "compare topologies", only.front(),
                   std::string("is only in the ") + (missing ? "true" : "inferred") +
                       " topology; both must have the same hosts"};
}

double rate(std::size_t part, std::size_t whole) {
    return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

double TopologyComparison::false_positive_rate() const {
    return rate(false_positives, not_sharing);
}
double TopologyComparison::false_negative_rate() const {
    return rate(false_negatives, sharing);
}
double TopologyComparison::wrong_answer_rate() const {
    return rate(false_positives + false_negatives, sharing + not_sharing);
}

Result<TopologyComparison> compare_topologies(const Topology& truth, const Topology& inferred,
                                              const ComparisonPlan& plan) {
    if (auto same = check_hosts(truth, inferred); !same) return same.error();
    const Topology expected = visible_part(truth);
    const Topology found = *project(inferred, truth.hosts);  // the same host numbers
    TopologyComparison result;
    compare_splits(expected, found, plan.seed, result);
    result.same_groups = groups_by_switch(expected) == groups_by_switch(found);
    if (truth.hosts.size() < 2 || plan.queries == 0) return result;
    const TopologyQuery true_query(expected), found_query(found);
    const Questions questions(truth.hosts.size(), plan.seed);
    compare_sharing(true_query, found_query, questions, plan.queries, result);
    compare_delays(true_query, found_query, questions, plan.queries, result);
    return result;
}

}  // namespace trellis
