#include "plugins/infer/published/insertion.hpp"

#include <algorithm>
#include <utility>

namespace trellis::plugins::infer {

Insertion::Insertion(TravellingTree tree, HostNumber newcomer, Measurements known, std::uint64_t seed)
    : tree_(std::move(tree)),
      newcomer_(newcomer),
      known_(std::move(known)),
      adjacency_(tree_.nodes.size(), topology_links(tree_)),
      candidates_(tree_.nodes.size(), seed) {
    for (TopologyNode node = 0; node < tree_.nodes.size(); ++node)
        if (tree_.nodes[node] != no_host) candidates_.add(node);
    hang_from_first_node();
    order_known();
    advance();
}

void Insertion::hang_from_first_node() {
    parent_.assign(tree_.nodes.size(), 0);
    parent_delay_.assign(tree_.nodes.size(), Delay{0});
    depth_.assign(tree_.nodes.size(), 0);
    std::vector<TopologyNode> visited;
    if (!tree_.nodes.empty()) visited.push_back(0);
    for (std::size_t i = 0; i < visited.size(); ++i)
        for (const TopologyNeighbour& next : adjacency_.neighbours(visited[i])) {
            if (next.node == parent_[visited[i]]) continue;
            parent_[next.node] = visited[i];
            parent_delay_[next.node] = next.delay;
            depth_[next.node] = depth_[visited[i]] + 1;
            visited.push_back(next.node);
        }
}

void Insertion::order_known() {
    for (const TopologyNode node : candidates_.members())
        if (known_.contains(tree_.nodes[node])) nearest_.push_back(node);
    std::ranges::sort(nearest_, {},
                      [&](TopologyNode node) { return std::pair(known_[tree_.nodes[node]].rtt, node); });
}

std::optional<HostNumber> Insertion::next() const {
    if (!wanted_) return std::nullopt;
    return tree_.nodes[*wanted_];
}

void Insertion::answer(PairMeasurement measured) {
    const TopologyNode node = *std::exchange(wanted_, std::nullopt);
    known_[tree_.nodes[node]] = measured;
    consider({node, measured});
    advance();
}

void Insertion::no_answer() {
    wanted_.reset();
    advance();
}

std::optional<TopologyNode> Insertion::choose() {
    while (next_nearest_ < nearest_.size() && !candidates_.contains(nearest_[next_nearest_]))
        ++next_nearest_;
    if (candidates_.empty()) return std::nullopt;
    const TopologyNode node = next_nearest_ < nearest_.size() ? nearest_[next_nearest_] : candidates_.any();
    candidates_.remove(node);
    return node;
}

void Insertion::advance() {
    while (const std::optional<TopologyNode> node = choose()) {
        const auto measured = known_.find(tree_.nodes[*node]);
        if (measured == known_.end()) {
            wanted_ = node;
            return;
        }
        consider({*node, measured->second});
    }
    finish();
}

// One turn of the loop of `add`, with B measured.
void Insertion::consider(const Measured& b) {
    if (!a_) {
        a_ = b;
        return;
    }
    Branching place = branching(*a_, b);
    narrow(place);
    if (place.from_b < place.from_a) a_ = b;
    place_ = std::move(place);
}

std::vector<TopologyNode> Insertion::path(TopologyNode a, TopologyNode b) const {
    std::vector<TopologyNode> from_a, from_b;
    while (a != b) {
        if (depth_[a] >= depth_[b]) {
            from_a.push_back(a);
            a = parent_[a];
        } else {
            from_b.push_back(b);
            b = parent_[b];
        }
    }
    from_a.push_back(a);
    from_a.insert(from_a.end(), from_b.rbegin(), from_b.rend());
    return from_a;
}

Delay Insertion::link_delay(TopologyNode a, TopologyNode b) const {
    return parent_delay_[depth_[a] > depth_[b] ? a : b];
}

// The star of A, B and the newcomer H (3.1): RTTs in, one-way delays out. AB is the distance on the tree.
Insertion::Branching Insertion::branching(const Measured& a, const Measured& b) const {
    Branching place;
    place.path = path(a.node, b.node);
    Delay ab{0};
    for (std::size_t i = 1; i < place.path.size(); ++i)
        ab += link_delay(place.path[i - 1], place.path[i]);
    place.from_a = std::clamp((a.pair.rtt + 2 * ab - b.pair.rtt) / 4, Delay{0}, ab);
    place.from_b = ab - place.from_a;
    place.leg = std::max((a.pair.rtt + b.pair.rtt - 2 * ab) / 4, Delay{0});
    place.tolerance = std::max(a.pair.tolerance, b.pair.tolerance);
    const Delay placed{std::max(tree_.tolerances_us[a.node], tree_.tolerances_us[b.node])};
    locate(place, std::max({place.tolerance, placed, ab * 1e-9}));
    return place;
}

// The switch of the path that is nearest to the place and within the tolerance, or else the link that holds
// the place.
void Insertion::locate(Branching& place, Delay tolerance) const {
    Delay position{0};
    Delay nearest = tolerance;
    for (std::size_t i = 0; i + 1 < place.path.size(); ++i) {
        if (i > 0) position += link_delay(place.path[i - 1], place.path[i]);
        const Delay off = position < place.from_a ? place.from_a - position : position - place.from_a;
        if (i > 0 && off <= nearest) {
            nearest = off;
            place.index = i;
            place.at_switch = true;
        } else if (!place.at_switch && position <= place.from_a) {
            place.index = i;
            place.offset = place.from_a - position;
        }
    }
}

// Leaves among the candidates only those on the branches of the place that lead neither to A nor to B.
void Insertion::narrow(const Branching& place) {
    std::vector<TopologyNode> remaining;
    if (place.at_switch) {
        const TopologyNode at = place.path[place.index];
        const TopologyNode towards_a = place.path[place.index - 1], towards_b = place.path[place.index + 1];
        const bool same = place_ && place_->at_switch && place_->path[place_->index] == at;
        if (same) {  // A's side is gone already
            for (const TopologyNode leaf : leaves_beyond(at, towards_b))
                candidates_.remove(leaf);
            return;
        }
        for (const TopologyNeighbour& next : adjacency_.neighbours(at)) {
            if (next.node == towards_a || next.node == towards_b) continue;
            for (const TopologyNode leaf : leaves_beyond(at, next.node))
                if (candidates_.contains(leaf)) remaining.push_back(leaf);
        }
    }
    candidates_.clear();
    for (const TopologyNode leaf : remaining)
        candidates_.add(leaf);
}

std::vector<TopologyNode> Insertion::leaves_beyond(TopologyNode from, TopologyNode neighbour) const {
    std::vector<TopologyNode> leaves;
    std::vector<std::pair<TopologyNode, TopologyNode>> open{{neighbour, from}};
    while (!open.empty()) {
        const auto [node, came_from] = open.back();
        open.pop_back();
        if (tree_.nodes[node] != no_host) leaves.push_back(node);
        for (const TopologyNeighbour& next : adjacency_.neighbours(node))
            if (next.node != came_from) open.emplace_back(next.node, node);
    }
    return leaves;
}

void Insertion::finish() {
    tree_.measured_pairs += known_.size();
    inserted_ = true;
    if (place_) {
        connect(branching_switch(), place_->leg, place_->tolerance);
    } else if (tree_.nodes.empty()) {
        tree_.nodes.push_back(newcomer_);
        tree_.tolerances_us.push_back(0);
    } else if (a_ && tree_.nodes.size() == 1) {
        connect(a_->node, a_->pair.rtt / 2, a_->pair.tolerance);
    } else {
        inserted_ = false;
    }
}

// The existing switch at the place, or a new one that splits its link.
TopologyNode Insertion::branching_switch() {
    const TopologyNode before = place_->path[place_->index];
    if (place_->at_switch) return before;
    const TopologyNode after = place_->path[place_->index + 1];
    const auto link = std::ranges::find_if(tree_.links, [&](const TreeLink& each) {
        return (each.a == before && each.b == after) || (each.a == after && each.b == before);
    });
    const auto added = static_cast<TopologyNode>(tree_.nodes.size());
    tree_.nodes.push_back(no_host);
    tree_.tolerances_us.push_back(0);
    const double offset = std::min(place_->offset.count(), link->delay_us);
    const double rest = link->delay_us - offset;
    *link = {before, added, offset};
    tree_.links.push_back({added, after, rest});
    return added;
}

void Insertion::connect(TopologyNode node, Delay leg, Delay tolerance) {
    const auto added = static_cast<TopologyNode>(tree_.nodes.size());
    tree_.nodes.push_back(newcomer_);
    tree_.tolerances_us.push_back(tolerance.count());
    tree_.links.push_back({node, added, leg.count()});
}

}  // namespace trellis::plugins::infer
