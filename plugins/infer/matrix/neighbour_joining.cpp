#include "plugins/infer/matrix/neighbour_joining.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

namespace trellis::plugins::infer {
namespace {

constexpr double unknown = std::numeric_limits<double>::infinity();

// Of an unknown distance, from those of up to 32 others that both ends know.
double by_four_points(const std::vector<std::vector<double>>& rows, std::size_t i, std::size_t j) {
    constexpr std::size_t most = 32;
    std::vector<std::size_t> common;
    for (std::size_t k = 0; k < rows.size(); ++k)
        if (k != i && k != j && rows[i][k] < unknown && rows[j][k] < unknown) common.push_back(k);
    const std::size_t step = common.size() / most + 1;
    double least = unknown;
    for (std::size_t a = 0; a < common.size(); a += step)
        for (std::size_t b = 0; b < a; b += step) {
            const std::size_t k = common[a], l = common[b];
            if (rows[k][l] < unknown)
                least =
                    std::min(least, std::max(rows[i][k] + rows[j][l], rows[i][l] + rows[j][k]) - rows[k][l]);
        }
    return least > 0 ? least : 0;
}

// Distances between the nodes that are still to be joined.
class Joining {
  public:
    explicit Joining(const RttMatrix& matrix);

    std::vector<TopologyLink> links() {
        while (nodes_.size() > 3)
            join_closest();
        if (nodes_.size() == 3) join_last_three();
        if (nodes_.size() == 2) link(nodes_[0], nodes_[1], at(0, 1));
        return std::move(links_);
    }
    [[nodiscard]] std::size_t node_count() const { return next_; }

  private:
    double& at(std::size_t i, std::size_t j) { return rows_[i][j]; }
    void complete();
    void sum_rows();
    [[nodiscard]] std::pair<std::size_t, std::size_t> closest() const;
    void join_closest();
    void join_last_three();
    void remove(std::size_t place);
    void link(TopologyNode a, TopologyNode b, double rtt_us) {
        links_.push_back({a, b, Delay{std::max(rtt_us, 0.0) / 2}});
    }

    std::vector<TopologyNode> nodes_;
    std::vector<std::vector<double>> rows_;  // by place in nodes_
    std::vector<double> sums_;
    TopologyNode next_;
    std::vector<TopologyLink> links_;
};

Joining::Joining(const RttMatrix& matrix) : next_(static_cast<TopologyNode>(matrix.size())) {
    bool complete_already = true;
    for (TopologyNode a = 0; a < matrix.size(); ++a) {
        nodes_.push_back(a);
        rows_.emplace_back(matrix.size());
        for (std::size_t b = 0; b < matrix.size(); ++b) {
            const bool known = a == b || matrix.measured(a, b);
            rows_[a][b] = known ? matrix.rtt_us(a, b) : unknown;
            complete_already = complete_already && known;
        }
    }
    if (!complete_already) complete();
}

// The least that any two others allow by the four-point condition: of three ways to pair four hosts, the two
// with the greater sums are equal. Where no two others tell, the shortest way over known pairs (Floyd and
// Warshall).
void Joining::complete() {
    const std::vector<std::vector<double>> given = rows_;
    for (std::size_t over = 0; over < rows_.size(); ++over)
        for (std::vector<double>& row : rows_)
            for (std::size_t j = 0; j < row.size(); ++j)
                row[j] = std::min(row[j], row[over] + rows_[over][j]);
    double longest = 0;
    for (std::size_t i = 0; i < rows_.size(); ++i)
        for (std::size_t j = 0; j < rows_.size(); ++j) {
            if (given[i][j] < unknown)
                rows_[i][j] = given[i][j];
            else
                rows_[i][j] = std::min(rows_[i][j], by_four_points(given, i, j));
            if (rows_[i][j] < unknown) longest = std::max(longest, rows_[i][j]);
        }
    for (std::vector<double>& row : rows_)
        for (double& distance : row)
            distance = std::min(distance, longest);
}

void Joining::sum_rows() {
    sums_.assign(nodes_.size(), 0);
    for (std::size_t i = 0; i < nodes_.size(); ++i)
        for (const double distance : rows_[i])
            sums_[i] += distance;
}

std::pair<std::size_t, std::size_t> Joining::closest() const {
    const double others = static_cast<double>(nodes_.size() - 2);
    double least = std::numeric_limits<double>::infinity();
    std::pair<std::size_t, std::size_t> found{0, 1};
    for (std::size_t i = 0; i < nodes_.size(); ++i)
        for (std::size_t j = i + 1; j < nodes_.size(); ++j) {
            const double criterion = others * rows_[i][j] - sums_[i] - sums_[j];
            if (criterion >= least) continue;
            least = criterion;
            found = {i, j};
        }
    return found;
}

void Joining::join_closest() {
    sum_rows();
    const auto [i, j] = closest();
    const double between = at(i, j);
    const double others = static_cast<double>(nodes_.size() - 2);
    const double to_first = between / 2 + (sums_[i] - sums_[j]) / (2 * others);
    link(nodes_[i], next_, to_first);
    link(nodes_[j], next_, between - to_first);
    for (std::size_t k = 0; k < nodes_.size(); ++k)
        if (k != i && k != j) at(i, k) = at(k, i) = (at(i, k) + at(j, k) - between) / 2;
    nodes_[i] = next_++;
    remove(j);
}

void Joining::join_last_three() {
    for (std::size_t i = 0; i < 3; ++i) {
        const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
        link(nodes_[i], next_, (at(i, j) + at(i, k) - at(j, k)) / 2);
    }
    ++next_;
}

void Joining::remove(std::size_t place) {
    std::swap(rows_[place], rows_.back());
    rows_.pop_back();
    for (std::vector<double>& row : rows_) {
        std::swap(row[place], row.back());
        row.pop_back();
    }
    std::swap(nodes_[place], nodes_.back());
    nodes_.pop_back();
}

}  // namespace

Topology neighbour_joining(const RttMatrix& matrix) {
    Joining joining(matrix);
    std::vector<TopologyLink> links = joining.links();
    return named_topology(matrix.hosts(), joining.node_count(), std::move(links));
}

Topology named_topology(std::span<const std::string> hosts, std::size_t node_count,
                        std::vector<TopologyLink> links) {
    const std::set<std::string> taken(hosts.begin(), hosts.end());
    Topology topology{{hosts.begin(), hosts.end()}, {}, std::move(links)};
    for (std::size_t number = 1; topology.node_count() < node_count; ++number) {
        std::string name = "s" + std::to_string(number);
        if (!taken.contains(name)) topology.switches.push_back(std::move(name));
    }
    return topology;
}

}  // namespace trellis::plugins::infer
