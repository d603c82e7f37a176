#include "plugins/bwtree/saturating_plan.hpp"

#include "plugins/bwtree/fluid_rates.hpp"
#include "plugins/bwtree/supply.hpp"
#include "tests/sim/effort.hpp"
#include "tests/sim/random_topology.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace trellis::plugins::bwtree {
namespace {

using Kind = LinkBandwidth::Kind;

// Switches below switches, so many below each as the level says; the last number is of hosts.
Topology levels(const std::vector<std::size_t>& fan_outs) {
    std::vector<std::size_t> parents, level{0};
    std::size_t switches = 1;
    std::vector<std::pair<std::size_t, std::size_t>> trunks;
    for (std::size_t i = 0; i + 1 < fan_outs.size(); ++i) {
        std::vector<std::size_t> next;
        for (const std::size_t parent : level)
            for (std::size_t child = 0; child < fan_outs[i]; ++child) {
                trunks.emplace_back(parent, switches);
                next.push_back(switches++);
            }
        level = next;
    }
    Topology tree;
    const std::size_t hosts = level.size() * fan_outs.back();
    const auto node = [&](std::size_t number) { return static_cast<TopologyNode>(hosts + number); };
    for (std::size_t i = 0; i < hosts; ++i) {
        tree.hosts.push_back("h" + std::to_string(i));
        tree.links.push_back({static_cast<TopologyNode>(i), node(level[i / fan_outs.back()]), Delay{10}});
    }
    for (std::size_t i = 0; i < switches; ++i)
        tree.switches.push_back("s" + std::to_string(i));
    for (const auto& [parent, child] : trunks)
        tree.links.push_back({node(parent), node(child), Delay{50}});
    return tree;
}

// A network of known bandwidths, and a plan that is carried out in it.
class PlannedNetwork {
  public:
    explicit PlannedNetwork(Topology tree)
        : tree_(std::move(tree)), paths_(tree_), capacity_(paths_.count(), 1e9), plan_(tree_) {}

    void set_trunks(double rate) {
        for (DirectedLink link = 0; link < paths_.count(); ++link)
            if (!of_host(link)) capacity_[link] = rate;
    }
    void set(DirectedLink link, double rate) { capacity_[link] = rate; }
    // Loads vary by this share of them; flows between switches fall short by a share of their rates.
    void disturb(double noise, double shortfall, std::uint64_t seed) {
        noise_ = noise;
        shortfall_ = shortfall;
        random_.seed(seed);
    }
    // Of these rates, each direction its own.
    void draw(const std::vector<double>& rates, std::uint64_t seed) {
        std::mt19937_64 random(seed);
        for (double& capacity : capacity_)
            capacity = rates[std::uniform_int_distribution<std::size_t>(0, rates.size() - 1)(random)];
    }
    // The number of rounds.
    std::size_t run() {
        std::size_t rounds = 0;
        while (const auto round = plan_.next()) {
            EXPECT_FALSE(round->empty());
            check_disjoint(*round);
            plan_.take(disturbed(*round, fluid_rates(paths_, capacity_, *round)));
            if (++rounds > 2000) break;
        }
        return rounds;
    }
    // Every figure is right, nothing is said too high. How many directions that could be filled with a fifth
    // to spare have no figure.
    std::size_t check() {
        const Supply supply(paths_, tree_.hosts.size(), capacity_);
        const TopologyBandwidth found = plan_.result();
        std::size_t missed = 0;
        for (DirectedLink link = 0; link < paths_.count(); ++link) {
            const LinkBandwidth& one = found.links[link_of(link)][link % 2];
            const std::string where = tree_.name(paths_.tail(link)) + " to " + tree_.name(paths_.head(link));
            EXPECT_LE(one.bits_per_second, 1.01 * capacity_[link]) << where;
            if (one.kind == Kind::measured) {
                EXPECT_GE(one.bits_per_second, 0.99 * capacity_[link]) << where;
            } else if (std::min(supply.into(link), supply.out_of(link)) > 1.2 * capacity_[link]) {
                ++missed;
            }
        }
        return missed;
    }
    [[nodiscard]] SaturatingPlan& plan() { return plan_; }
    [[nodiscard]] std::size_t links() const { return tree_.links.size(); }

  private:
    [[nodiscard]] bool of_host(DirectedLink link) const {
        return tree_.is_host(paths_.tail(link)) || tree_.is_host(paths_.head(link));
    }
    void check_disjoint(const Round& round) {
        std::map<std::size_t, std::set<std::uint32_t>> groups;  // by link, of either direction
        for (const Flow& flow : round)
            for (const DirectedLink link : paths_.path(flow.from, flow.to))
                groups[link_of(link)].insert(flow.group);
        for (const auto& [link, users] : groups)
            EXPECT_EQ(users.size(), 1u) << "link " << link;
    }

    // The noise is that of a group, the standard error what it should be.
    std::vector<FlowRate> disturbed(const Round& round, std::vector<FlowRate> rates) {
        if (noise_ <= 0) return rates;
        struct Group {
            double factor = 1, load = 0, flows = 0;
        };
        std::map<std::uint32_t, Group> groups;
        std::normal_distribution<double> noise(1, noise_);
        for (std::size_t i = 0; i < round.size(); ++i) {
            const auto [found, added] = groups.try_emplace(round[i].group);
            Group& group = found->second;
            if (added) group.factor = noise(random_);
            rates[i].bits_per_second *= group.factor;
            if (paths_.path(round[i].from, round[i].to).size() > 2)
                rates[i].bits_per_second *= 1 - shortfall_;
            group.load += rates[i].bits_per_second;
            ++group.flows;
        }
        for (std::size_t i = 0; i < round.size(); ++i) {
            const Group& group = groups[round[i].group];
            rates[i].standard_error = noise_ * group.load / std::sqrt(group.flows);
        }
        return rates;
    }

    Topology tree_;
    DirectedPaths paths_;
    std::vector<double> capacity_;
    SaturatingPlan plan_;
    double noise_ = 0, shortfall_ = 0;
    std::mt19937_64 random_{1};
};

TEST(SaturatingPlan, HostsOfOneSwitchAreMeasuredAllAtOnce) {
    for (const std::size_t hosts : {16u, 256u, 4096u}) {
        PlannedNetwork network(levels({hosts}));
        EXPECT_LE(network.run(), 7u) << hosts;
        EXPECT_EQ(network.check(), 0u);
    }
}

TEST(SaturatingPlan, RoundsGrowWithDepthAndDegreeNotWithHosts) {
    const auto rounds = [](const std::vector<std::size_t>& fan_outs) {
        PlannedNetwork network(levels(fan_outs));
        network.set_trunks(4e9);
        const std::size_t count = network.run();
        EXPECT_EQ(network.check(), 0u);
        return count;
    };
    const std::size_t of_256 = rounds({4, 4, 16}), of_1024 = rounds({4, 4, 64}),
                      of_4096 = rounds({4, 4, 256});
    EXPECT_LE(of_256, 22u);
    EXPECT_LE(of_1024, of_256);
    EXPECT_LE(of_4096, of_256);
    EXPECT_LE(rounds({8, 8, 64}), 22u);  // 4,096 hosts
    EXPECT_LE(rounds({16, 16, 16}), 22u);
    EXPECT_LE(rounds({4, 4, 4, 4, 16}), 30u);
}

TEST(SaturatingPlan, SeveralPairsFillATrunkThatIsFasterThanACard) {
    PlannedNetwork network(levels({4, 16}));
    network.set_trunks(10e9);
    network.run();
    EXPECT_EQ(network.check(), 0u);
    std::size_t measured = 0;
    for (const auto& link : network.plan().result().links)
        measured += static_cast<std::size_t>(std::ranges::count(link, Kind::measured, &LinkBandwidth::kind));
    EXPECT_EQ(measured, 2 * network.links());
}

TEST(SaturatingPlan, WhatTheHostsCannotFillIsSaidToBeAtLeastThat) {
    PlannedNetwork network(levels({4, 4}));
    network.set_trunks(10e9);
    network.run();
    const TopologyBandwidth found = network.plan().result();
    for (std::size_t i = 16; i < found.links.size(); ++i)
        for (const LinkBandwidth& one : found.links[i]) {
            EXPECT_EQ(one.kind, Kind::at_least);
            EXPECT_NEAR(one.bits_per_second, 4e9, 1e7);
        }
}

// Whatever keeps flows from reaching all that is at hand must not be taken for a limit of the link, nor hide
// one.
TEST(SaturatingPlan, ControlLoadsTellALinkThatIsALittleSlowerThanTheHostsFromOneThatIsFaster) {
    constexpr DirectedLink slow = 2 * 16;  // the first link between switches, with 4 Gbit/s at hand
    for (const double shortfall : {0.0, 0.04, 0.07})
        for (std::uint64_t seed = 1; seed <= sim::effort(20, 5); ++seed) {
            PlannedNetwork network(levels({4, 4}));
            network.set_trunks(10e9);
            network.set(slow, 4e9 / 1.08);
            network.disturb(0.01, shortfall, seed);
            EXPECT_LE(network.run(), 60u);
            const TopologyBandwidth found = network.plan().result();
            for (DirectedLink link = slow; link < 2 * network.links(); ++link) {
                const LinkBandwidth& one = found.links[link_of(link)][link % 2];
                const auto expected = link == slow ? Kind::measured : Kind::at_least;
                EXPECT_EQ(one.kind, expected) << "seed " << seed << ", link " << link << ", " << shortfall;
                const double rate = (1 - shortfall) * (link == slow ? 4e9 / 1.08 : 4e9);
                EXPECT_NEAR(one.bits_per_second, rate, 0.06 * rate);
            }
        }
}

// Where neighbours differ twentyfold, fair shares do not fill every link that could be filled.
TEST(SaturatingPlan, SlowLinksHideHardlyAnyFastOneInRandomTreesOfDifferentRates) {
    const std::vector<double> rates{100e6, 200e6, 500e6, 1e9, 2e9};
    std::size_t directions = 0, missed = 0;
    for (std::uint64_t seed = 1; seed <= sim::effort(40, 10); ++seed) {
        const sim::TreeShape shape = sim::all_tree_shapes[seed % 5];
        PlannedNetwork network(sim::random_topology(5 + 2 * seed, shape, seed));
        network.draw(rates, seed);
        EXPECT_LE(network.run(), 600u) << "seed " << seed;
        missed += network.check();
        directions += 2 * network.links();
        ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed;
    }
    EXPECT_LE(missed, directions / 100) << "of " << directions;
}

TEST(SaturatingPlan, HostsThatAreGoneTakeNoPart) {
    PlannedNetwork network(levels({3, 4}));
    network.plan().leave_out(5);
    while (const auto round = network.plan().next()) {
        for (const Flow& flow : *round)
            EXPECT_TRUE(flow.from != 5 && flow.to != 5);
        network.plan().take(std::vector<FlowRate>(round->size(), FlowRate{1e8, 1e6}));
    }
    const TopologyBandwidth found = network.plan().result();
    EXPECT_EQ(found.links[5][0].kind, Kind::not_measured);
    EXPECT_EQ(found.links[5][1].kind, Kind::not_measured);
    EXPECT_NE(found.links[4][0].kind, Kind::not_measured);
}

TEST(SaturatingPlan, AHostThatIsHeardAgainHasItsTurnsHoweverLate) {
    PlannedNetwork network(levels({3, 4}));
    network.plan().leave_out(5);
    network.run();
    EXPECT_EQ(network.plan().result().links[5][0].kind, Kind::not_measured);
    network.plan().take_back(5);
    EXPECT_GT(network.run(), 0U);
    EXPECT_EQ(network.plan().result().links[5][0].kind, Kind::measured);
    EXPECT_EQ(network.plan().result().links[5][1].kind, Kind::measured);
    network.check();
}

TEST(SaturatingPlan, EndsThoughNothingEverComes) {
    PlannedNetwork network(levels({3, 4}));
    std::size_t rounds = 0;
    while (const auto round = network.plan().next()) {
        network.plan().take(std::vector<FlowRate>(round->size()));
        ASSERT_LT(++rounds, 500u);
    }
}

TEST(SaturatingPlan, EndsThoughAHostFallsSilentAgainAndAgain) {
    PlannedNetwork network(levels({3, 4}));
    network.set_trunks(10e9);
    std::size_t rounds = 0;
    while (const auto round = network.plan().next()) {
        network.plan().take(std::vector<FlowRate>(round->size(), FlowRate{1e8, 1e6}));
        rounds % 2 == 0 ? network.plan().leave_out(5) : network.plan().take_back(5);
        ASSERT_LT(++rounds, 500u);
    }
}

}  // namespace
}  // namespace trellis::plugins::bwtree
