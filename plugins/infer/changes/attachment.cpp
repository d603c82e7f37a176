#include "plugins/infer/changes/attachment.hpp"

#include "agentd/model/topology_adjacency.hpp"
#include "plugins/infer/survey/cluster_sweep.hpp"
#include "plugins/infer/tree/robust_scale.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace trellis::plugins::infer {
namespace {

constexpr double finest_clock_us = 0.02;  // clocks and figures are no finer
constexpr double finest_part = 0.0001;    // of a round trip
constexpr double impossible_sigmas = 6;   // that much less than no length, no link is

// The tree as seen from one host that was measured.
struct HostView {
    Reading reading;
    std::vector<double> rtt;  // to each node, us
    std::vector<TopologyNode> parent;
    bool far = false;
    double weight = 0;
};

HostView look(const TopologyAdjacency& tree, const Reading& reading) {
    HostView view{reading, std::vector<double>(tree.node_count(), 0),
                  std::vector<TopologyNode>(tree.node_count(), reading.host)};
    std::vector<TopologyNode> open{reading.host};
    while (!open.empty()) {
        const TopologyNode at = open.back();
        open.pop_back();
        for (const TopologyNeighbour& next : tree.neighbours(at)) {
            if (next.node == view.parent[at]) continue;
            view.parent[next.node] = at;
            view.rtt[next.node] = view.rtt[at] + 2 * next.delay.count();
            open.push_back(next.node);
        }
    }
    return view;
}

// Weighted sums of what is left of some readings at one point.
struct RestOfPlace {
    double weight = 0, sum = 0, squares = 0;
    void add(const HostView& view, double rest) {
        weight += view.weight;
        sum += view.weight * rest;
        squares += view.weight * rest * rest;
    }
    void add(const HostView& view, TopologyNode at) { add(view, view.reading.rtt_us - view.rtt[at]); }
    [[nodiscard]] double mean() const { return sum / weight; }
    // Of no readings, 0.
    [[nodiscard]] double cost() const { return weight > 0 ? std::max(0.0, squares - sum * sum / weight) : 0; }
};

struct FittedPlace {
    Attachment place;
    double cost = std::numeric_limits<double>::infinity();
};

class AttachmentFit {
  public:
    AttachmentFit(const Topology& topology, std::span<const Reading> readings, double confidence)
        : topology_(topology), tree_(topology), confidence_(confidence) {
        for (const Reading& reading : readings)
            views_.push_back(look(tree_, reading));
        weigh();
        fit();
        if (doubt_far()) fit();
    }
    std::optional<Attachment> best() const {
        if (on_switch_.empty() && !std::isfinite(on_link_.cost)) return std::nullopt;
        const auto least = std::ranges::min_element(on_switch_, {}, &FittedPlace::cost);
        const double switch_cost =
            least == on_switch_.end() ? std::numeric_limits<double>::infinity() : least->cost;
        const double evidence = (switch_cost - on_link_.cost) / 2 - std::log(std::max(1.0, places_));
        if (std::isfinite(on_link_.cost) && evidence > -std::log(1 - confidence_))
            return finished(on_link_, 1 - std::exp(-evidence));
        if (least == on_switch_.end()) return std::nullopt;
        double others = 0;
        for (const FittedPlace& other : on_switch_)
            others += std::exp((least->cost - other.cost) / 2);
        return finished(*least, 1 / others);
    }

  private:
    void weigh() {
        double least = std::numeric_limits<double>::infinity();
        for (const HostView& view : views_)
            least = std::min(least, view.reading.rtt_us);
        std::vector<double> spreads[2], known[2];
        for (HostView& view : views_) {
            view.far = is_far(view.reading.rtt_us, least);
            spreads[view.far].push_back(view.reading.spread_us);
            known[view.far].push_back(pair_deviation(topology_, view.reading.host, view.reading.rtt_us));
        }
        for (HostView& view : views_) {
            const double sigma =
                std::max({median(spreads[view.far]), view.far ? 0 : median(known[view.far]),
                          view.reading.spread_us, finest_clock_us, finest_part * view.reading.rtt_us});
            view.weight = 1 / (sigma * sigma);
        }
    }

    // What ways that lead far err by shows against the hosts that are near: they count for as much as that
    // leaves of them. Whether any counts for less now.
    bool doubt_far() {
        const std::optional<Attachment> place = best();
        if (!place) return false;
        RestOfPlace near;
        for (const HostView& view : views_)
            if (!view.far) near.add(view, rest_at(view, *place));
        double squares = 0, count = 0;
        for (const HostView& view : views_) {
            if (!view.far) continue;
            const double rest = rest_at(view, *place) - near.mean();
            squares += rest * rest;
            ++count;
        }
        bool doubted = false;
        for (HostView& view : views_)
            if (view.far && squares * view.weight > count) {
                view.weight = count / squares;
                doubted = true;
            }
        return doubted;
    }
    // What the round trip exceeds the way to the place by.
    [[nodiscard]] static double rest_at(const HostView& view, const Attachment& place) {
        if (!place.on_link()) return view.reading.rtt_us - view.rtt[place.a];
        const double length = std::abs(view.rtt[place.a] - view.rtt[place.b]);
        return view.reading.rtt_us - (beyond(view, place.a, place.b)
                                          ? view.rtt[place.b] + length - place.from_a_us
                                          : view.rtt[place.a] + place.from_a_us);
    }

    void fit() {
        on_switch_.clear();
        on_link_ = {};
        places_ = 0;
        try_switches();
        try_links();
    }
    // Whether the way from a to b leads on to a host that was measured.
    [[nodiscard]] bool leads_on(TopologyNode a, TopologyNode b) const {
        return std::ranges::any_of(views_, [&](const HostView& view) { return view.parent[a] == b; });
    }
    [[nodiscard]] bool between_measured(TopologyNode node) const {
        return std::ranges::count_if(tree_.neighbours(node), [&](const TopologyNeighbour& next) {
                   return leads_on(node, next.node);
               }) > 1;
    }
    void try_switches() {
        for (auto node = static_cast<TopologyNode>(topology_.hosts.size()); node < topology_.node_count();
             ++node) {
            if (!between_measured(node)) continue;
            RestOfPlace rest;
            for (const HostView& view : views_)
                rest.add(view, node);
            if (too_short(rest.mean(), rest.weight)) continue;
            Attachment place{node, node};
            place.own_us = std::max(0.0, rest.mean());
            place.own_error_us = 1 / std::sqrt(rest.weight);
            on_switch_.push_back({place, rest.cost()});
        }
    }
    void try_links() {
        for (const TopologyLink& link : topology_.links) {
            if (!reached(link.a, link.b) || !reached(link.b, link.a)) continue;
            ++places_;
            RestOfPlace at_a, at_b;
            for (const HostView& view : views_)
                beyond(view, link.a, link.b) ? at_b.add(view, link.b) : at_a.add(view, link.a);
            const double length = 2 * link.delay.count();
            Attachment place{link.a, link.b};
            place.from_a_us = (at_a.mean() - at_b.mean() + length) / 2;
            place.own_us = at_a.mean() - place.from_a_us;
            place.own_error_us = std::sqrt(1 / at_a.weight + 1 / at_b.weight) / 2;
            const double cost = at_a.cost() + at_b.cost();
            const bool inside = place.from_a_us > 0 && place.from_a_us < length;
            if (!inside || cost >= on_link_.cost || too_short(place.own_us, at_a.weight)) continue;
            place.own_us = std::max(0.0, place.own_us);
            on_link_ = {place, cost};
        }
    }
    // Whether the host that was measured is on b's side of the link a-b.
    static bool beyond(const HostView& view, TopologyNode a, TopologyNode b) {
        return view.reading.host == b || (view.reading.host != a && view.parent[a] == b);
    }
    [[nodiscard]] bool reached(TopologyNode a, TopologyNode b) const {
        return std::ranges::any_of(views_, [&](const HostView& view) { return beyond(view, a, b); });
    }
    static bool too_short(double length, double weight) {
        return length < -impossible_sigmas / std::sqrt(weight);
    }

    [[nodiscard]] Attachment finished(const FittedPlace& chosen, double confidence) const {
        Attachment place = chosen.place;
        place.confidence = confidence;
        place.misfit = misfit(place);
        return place;
    }
    // By the hosts that are near: ways that lead far have errors that no repetition takes away.
    [[nodiscard]] double misfit(const Attachment& place) const {
        RestOfPlace at_a, at_b;
        double free = 0;
        for (const HostView& view : views_) {
            if (view.far) continue;
            const bool at_end = place.on_link() && beyond(view, place.a, place.b);
            at_end ? at_b.add(view, place.b) : at_a.add(view, place.a);
            ++free;
        }
        for (const RestOfPlace* end : {&at_a, &at_b})
            if (end->weight > 0) --free;
        return free > 0 ? std::sqrt((at_a.cost() + at_b.cost()) / free) : 0;
    }

    const Topology& topology_;
    TopologyAdjacency tree_;
    double confidence_;
    std::vector<HostView> views_;
    std::vector<FittedPlace> on_switch_;
    FittedPlace on_link_;
    double places_ = 0;
};

}  // namespace

bool is_far(double rtt_us, double least_us) {
    return rtt_us > least_gap * least_us;
}

double pair_deviation(const Topology& topology, TopologyNode host, double rtt_us) {
    const auto own = std::ranges::find_if(
        topology.links, [&](const TopologyLink& link) { return link.a == host || link.b == host; });
    if (own == topology.links.end() || own->standard_error.count() <= 0) return 0;
    const std::vector<Delay> far = TopologyAdjacency(topology).distances_from(host);
    const auto near =
        std::count_if(far.begin(), far.begin() + static_cast<std::ptrdiff_t>(topology.hosts.size()),
                      [&](Delay delay) { return !is_far(2 * delay.count(), rtt_us); });
    return 2 * own->standard_error.count() * std::sqrt(std::max(1.0, static_cast<double>(near) - 1));
}

std::optional<Attachment> best_attachment(const Topology& topology, std::span<const Reading> readings,
                                          double confidence) {
    if (readings.size() < 2) return std::nullopt;
    return AttachmentFit(topology, readings, confidence).best();
}

}  // namespace trellis::plugins::infer
