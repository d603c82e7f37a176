#include "plugins/infer/matrix/subtree_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

namespace trellis::plugins::infer {
namespace {

constexpr auto none = BinaryTree::none;
constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double worth_while = 1e-6;  // of the cost of the pairs concerned
constexpr double exact = 1e-12;       // costs per pair below this are rounding

}  // namespace

double best_foothold(const SquareSum& near, const SquareSum& far, double length, Foothold& foothold) {
    double least = infinite;
    const auto consider = [&](double to_near, double to_far) {
        const double cost = near.at(to_near) + far.at(to_far);
        if (cost >= least) return;
        least = cost;
        foothold = {to_near, to_far};
    };
    const double weight = near.weight + far.weight;
    if (weight <= 0) {
        consider(length / 2, length / 2);
        return least;
    }
    if (near.weight > 0 && far.weight > 0) {
        const double to_near = -near.slope / near.weight, to_far = -far.slope / far.weight;
        if (to_near + to_far >= length && std::fabs(to_near - to_far) <= length) {
            consider(to_near, to_far);
            return least;
        }
    }
    const double on_link = (far.slope + length * far.weight - near.slope) / weight;
    const double off_near = std::max(0.0, -(near.slope + far.slope + length * far.weight) / weight);
    const double off_far = std::max(0.0, -(near.slope + far.slope + length * near.weight) / weight);
    const double at_near = std::clamp(on_link, 0.0, length);
    consider(at_near, length - at_near);
    consider(off_near, off_near + length);
    consider(off_far + length, off_far);
    return least;
}

SubtreeSearch::SubtreeSearch(BinaryTree& tree, const RttMatrix& matrix)
    : tree_(tree), hosts_(matrix.size()), tree_rtts_(hosts_ * hosts_) {
    for (std::size_t a = 0; a < hosts_; ++a)
        for (std::size_t b = 0; b < hosts_; ++b) {
            rtts_.push_back(matrix.rtt_us(a, b));
            scales_.push_back(std::sqrt(matrix.weight(a, b)));
        }
}

std::size_t SubtreeSearch::round(const Loss& loss) {
    loss_ = loss;
    for (TopologyNode a = 0; a < hosts_; ++a) {
        tree_.distances(a, none, depth_);
        std::copy_n(depth_.begin(), hosts_, tree_rtts_.begin() + static_cast<std::ptrdiff_t>(a * hosts_));
    }
    std::vector<std::pair<TopologyNode, TopologyNode>> cuts;
    for (auto joint = static_cast<TopologyNode>(hosts_); joint < tree_.size(); ++joint)
        for (const BinaryTree::End& end : tree_.ends(joint))
            cuts.emplace_back(joint, end.node);
    return static_cast<std::size_t>(std::ranges::count_if(cuts, [&](const auto& cut) {
        return tree_.linked(cut.first, cut.second) && improve(cut.first, cut.second);
    }));
}

bool SubtreeSearch::improve(TopologyNode joint, TopologyNode root) {
    Cut cut{root, joint, {}, {}};
    for (const BinaryTree::End& end : tree_.ends(joint))
        if (end.node != root) (cut.left.node == none ? cut.left : cut.right) = end;
    split_hosts(cut);
    if (outside_.size() < 2) return false;
    const double present = pull_of_present();
    const double enough =
        present * (1 - worth_while) - exact * static_cast<double>(inside_.size() * outside_.size());
    if (enough <= 0) return false;
    tree_.take_out(joint, cut.left.node, cut.right.node);
    collect_places(cut);
    const Place* best = nullptr;
    for (Place& place : places_)
        if (settle(place) < (best ? best->cost : enough)) best = &place;
    if (best)
        graft(cut, *best);
    else
        tree_.put_between(joint, cut.left, cut.right);
    return best != nullptr;
}

void SubtreeSearch::split_hosts(const Cut& cut) {
    tree_.distances(cut.root, cut.joint, depth_);
    inside_.clear();
    outside_.clear();
    for (TopologyNode host = 0; host < hosts_; ++host)
        (depth_[host] >= 0 ? inside_ : outside_).push_back(host);
}

// What the pairs of hosts inside and outside cost in the tree as it is, and, by their weights there, where
// they would have the subtree's root.
double SubtreeSearch::pull_of_present() {
    double cost = 0;
    pull_.assign(hosts_, {});
    for (const TopologyNode a : inside_)
        for (const TopologyNode b : outside_) {
            const std::size_t pair = a * hosts_ + b;
            const double error = scales_[pair] * (tree_rtts_[pair] - rtts_[pair]);
            cost += loss_.cost(error);
            pull_[b].add(scales_[pair] * scales_[pair] * loss_.weight(error), depth_[a] - rtts_[pair]);
        }
    return cost;
}

// The two links worth a closer look: the one where the subtree hung, and the best of the others by those
// weights.
void SubtreeSearch::collect_places(const Cut& cut) {
    sum_towards_root(outside_.front());
    Place home{}, best{none, none, 0, {}, infinite};
    for (const TopologyNode node : std::span(order_).subspan(1)) {
        Place place{parent_[node], node, length_[node], {}, 0};
        place.cost = best_foothold(above_[node], below_[node], place.length, place.foothold);
        const bool is_home = std::minmax(place.near, place.far) == std::minmax(cut.left.node, cut.right.node);
        if (is_home)
            home = place;
        else if (place.cost < best.cost)
            best = place;
    }
    places_.assign(1, home);
    if (best.near != none) places_.push_back(best);
}

// For the link of each node to its parent, the pulls from either side, as seen from that end of the link.
void SubtreeSearch::sum_towards_root(TopologyNode from) {
    order_.assign(1, from);
    parent_.assign(tree_.size(), none);
    length_.assign(tree_.size(), 0);
    below_.assign(pull_.begin(), pull_.end());
    below_.resize(tree_.size());
    above_.assign(tree_.size(), {});
    for (std::size_t next = 0; next < order_.size(); ++next) {
        const TopologyNode node = order_[next];
        for (const BinaryTree::End& end : tree_.ends(node)) {
            if (end.node == none || end.node == parent_[node]) continue;
            parent_[end.node] = node;
            length_[end.node] = end.length;
            order_.push_back(end.node);
        }
    }
    for (std::size_t place = order_.size() - 1; place > 0; --place) {
        const TopologyNode node = order_[place];
        below_[parent_[node]] += below_[node].beyond(length_[node]);
    }
    for (const TopologyNode node : std::span(order_).subspan(1)) {
        const TopologyNode parent = parent_[node];
        SquareSum sum = parent < hosts_ ? pull_[parent] : SquareSum{};
        if (parent != from) sum += above_[parent].beyond(length_[parent]);
        for (const BinaryTree::End& end : tree_.ends(parent))
            if (end.node != none && end.node != node && end.node != parent_[parent])
                sum += below_[end.node].beyond(length_[end.node]);
        above_[node] = sum;
    }
}

// Finds the best foothold on that link for the loss as it is, by reweighting; what it costs.
double SubtreeSearch::settle(Place& place) {
    constexpr int passes = 5;
    tree_.distances(place.near, place.far, from_near_);
    tree_.distances(place.far, place.near, from_far_);
    Foothold next = place.foothold;
    place.cost = infinite;
    for (int pass = 0; pass < passes; ++pass) {
        double cost = 0;
        SquareSum near, far;
        for (const TopologyNode b : outside_) {
            const bool is_near = from_near_[b] >= 0;
            const double way = is_near ? from_near_[b] : from_far_[b];
            const double to_link = is_near ? next.to_near : next.to_far;
            SquareSum& sum = is_near ? near : far;
            for (const TopologyNode a : inside_) {
                const std::size_t pair = b * hosts_ + a;
                const double scale = scales_[pair];
                const double rest = way + depth_[a] - rtts_[pair];
                const double error = scale * (rest + to_link);
                cost += loss_.cost(error);
                sum.add(scale * scale * loss_.weight(error), rest);
            }
        }
        if (cost < place.cost) {
            place.cost = cost;
            place.foothold = next;
        }
        (void)best_foothold(near, far, place.length, next);
    }
    return place.cost;
}

void SubtreeSearch::graft(const Cut& cut, const Place& place) {
    const Foothold& foothold = place.foothold;
    tree_.distances(place.near, place.far, from_near_);
    tree_.distances(place.far, place.near, from_far_);
    for (const TopologyNode a : inside_)
        for (const TopologyNode b : outside_) {
            const double way =
                from_near_[b] >= 0 ? from_near_[b] + foothold.to_near : from_far_[b] + foothold.to_far;
            tree_rtts_[a * hosts_ + b] = tree_rtts_[b * hosts_ + a] = depth_[a] + way;
        }
    const double off = std::max(0.0, (foothold.to_near + foothold.to_far - place.length) / 2);
    const double from_near = std::clamp(foothold.to_near - off, 0.0, place.length);
    tree_.put_between(cut.joint, {place.near, from_near}, {place.far, place.length - from_near});
    tree_.set_length(cut.joint, cut.root, off);
}

}  // namespace trellis::plugins::infer
