#include "plugins/infer/tree/tree_fit.hpp"

#include "plugins/infer/tree/host_places.hpp"
#include "plugins/infer/tree/mesh.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace trellis::plugins::infer {
namespace {

// Three switches in a row with four hosts each, 6 and 10 us apart; the leg of host i is 20 + i us.
constexpr std::size_t row_hosts = 12;
constexpr double near_link_us = 6, far_link_us = 10;

double row_rtt(Node a, Node b) {
    const auto at = [](Node host) {
        return host < 4 ? 0 : host < 8 ? near_link_us : near_link_us + far_link_us;
    };
    return 40 + a + b + std::abs(at(a) - at(b));
}

PairTable row_table(double noise_us = 0) {
    std::mt19937_64 random(1);
    std::normal_distribution<double> normal(0, 1);
    PairTable table(row_hosts);
    for (Node a = 0; a < row_hosts; ++a)
        for (Node b = a + 1; b < row_hosts; ++b)
            table.add(a, b, row_rtt(a, b) + noise_us * normal(random), 0);
    return table;
}

// The links that part the first hosts from the others; their lengths are still to be found.
Node part_off(TreeFit& fit, Node from, std::size_t first) {
    Split split;
    for (const std::vector<Node>& hosts : fit.tree().branches(from))
        split.second.push_back(std::ranges::all_of(hosts, [&](Node host) { return host >= first; }));
    return fit.split(from, split);
}

// Its switches: of hosts 0 to 3, 4 to 7 and 8 to 11.
std::vector<Node> fit_row(TreeFit& fit) {
    std::vector<Node> row{fit.switches().front()};
    row.push_back(part_off(fit, row[0], 4));
    row.push_back(part_off(fit, row[1], 8));
    fit.fit();
    return row;
}

TEST(TreeFit, FindsTheLengthsOfTheTreeThatItIsGiven) {
    const PairTable table = row_table();
    TreeFit fit(table, {});
    const std::vector<Node> row = fit_row(fit);
    EXPECT_NEAR(fit.tree().length(row[0], row[1]), near_link_us, 0.02);
    EXPECT_NEAR(fit.tree().length(row[1], row[2]), far_link_us, 0.02);
    for (Node host = 0; host < row_hosts; ++host)
        EXPECT_NEAR(fit.leg(host), 20 + host, 0.02);
    EXPECT_NEAR(fit.whole_tree().distances(1)[9], row_rtt(1, 9), 0.05);
    EXPECT_EQ(fit.residuals().size(), row_hosts * (row_hosts - 1) / 2);
    for (const double residual : fit.residuals())
        EXPECT_NEAR(residual, 0, 0.05);
}

TEST(TreeFit, PlacesAreThoseOfTheSwitches) {
    const PairTable table = row_table();
    TreeFit fit(table, {});
    const std::vector<Node> row = fit_row(fit);
    EXPECT_EQ(fit.switches()[fit.place_of(5)], row[1]);
    EXPECT_NEAR(fit.between(fit.place_of(0), fit.place_of(11)), near_link_us + far_link_us, 0.05);
}

TEST(TreeFit, NoLengthIsNegative) {
    PairTable table(4);
    for (Node a = 0; a < 4; ++a)
        for (Node b = a + 1; b < 4; ++b)
            table.add(a, b, (a < 2) == (b < 2) ? 100 : 80, 0);
    TreeFit fit(table, {});
    const Node first = fit.switches().front(), second = part_off(fit, first, 2);
    fit.fit();
    EXPECT_EQ(fit.tree().length(first, second), 0);
    EXPECT_LT(fit.weigh_link(first, second).length, 0);
}

TEST(TreeFit, SigmaIsTheNoiseOfAPairOrWhatIsTold) {
    const PairTable table = row_table(0.5);
    TreeFit fit(table, {}), told(table, 3.0);
    fit_row(fit);
    fit_row(told);
    EXPECT_GT(fit.sigma(), 0.25);
    EXPECT_LT(fit.sigma(), 0.8);
    EXPECT_EQ(told.sigma(), 3.0);
    fit.suppose_sigma(7);
    EXPECT_EQ(fit.sigma(), 7);
    fit.fit();
    EXPECT_LT(fit.sigma(), 0.8);
}

TEST(TreeFit, ALinkThatIsThereHasEvidence) {
    const PairTable table = row_table(0.5);
    TreeFit fit(table, {});
    const std::vector<Node> row = fit_row(fit);
    EXPECT_GT(fit.evidence(row[0], row[1]), 10);
    EXPECT_NEAR(fit.weigh_link(row[0], row[1]).length, 0, 0.1);  // no longer than it is
}

TEST(TreeFit, MeansAreThoseOfTheResiduals) {
    PairTable table = row_table();
    TreeFit fit(table, {});                                 // all on one switch
    const std::vector<double> residuals = fit.residuals();  // 0-1, 0-2, 0-3 ...
    EXPECT_NEAR(fit.means_of({{0}, {1, 2}}).at(0, 1), (residuals[0] + residuals[1]) / 2, 1e-9);
    EXPECT_NEAR(std::abs(fit.means_of({{0}, {1, 2}}, 0.01).at(0, 1)), 0.01, 1e-9);
}

TEST(TreeFit, AMergedTreeForgetsTheLink) {
    const PairTable table = row_table();
    TreeFit fit(table, {});
    const SwitchTree star = fit.tree();
    const std::vector<Node> row = fit_row(fit);
    fit.merge(row[0], row[1]);
    fit.fit();
    EXPECT_EQ(fit.switches().size(), 2u);
    fit.replace_tree(star);
    fit.fit();
    EXPECT_EQ(fit.switches().size(), 1u);
}

TEST(HostPlaces, AHostOnTheWrongSwitchIsBestOnItsOwn) {
    const PairTable table = row_table(0.1);
    TreeFit fit(table, 0.5);
    const std::vector<Node> row = fit_row(fit);
    EXPECT_EQ(HostPlaces(fit, 2).best(), row[0]);
    EXPECT_GT(HostPlaces(fit, 2).confidence(), 0.99);
    fit.move(2, row[2]);
    EXPECT_EQ(HostPlaces(fit, 2).best(), row[0]);
    EXPECT_LT(HostPlaces(fit, 2).confidence(), 0.5);
}

TEST(HostPlaces, AHostThatWasNotMeasuredStays) {
    const PairTable all = row_table();
    PairTable table(row_hosts);
    for (Node a = 1; a < row_hosts; ++a)
        for (Node b = a + 1; b < row_hosts; ++b)
            table.add(a, b, all.rtt(a, b), 0);
    TreeFit fit(table, {});
    const std::vector<Node> row = fit_row(fit);
    EXPECT_EQ(HostPlaces(fit, 0).best(), row[0]);
    EXPECT_NEAR(HostPlaces(fit, 0).confidence(), 1.0 / 3, 1e-9);
}

TEST(Mesh, ATreeHasNone) {
    const PairTable table = row_table(0.5);
    TreeFit fit(table, 0.5);
    fit_row(fit);
    EXPECT_TRUE(find_meshes(fit).empty());
}

// Six groups of hosts round one switch, their means as no tree has them.
TEST(Mesh, IsWhereTheMeansAreThoseOfNoTree) {
    constexpr std::size_t groups = 6, each = 4;
    PairTable table(groups * each);
    for (Node a = 0; a < groups * each; ++a)
        for (Node b = a + 1; b < groups * each; ++b) {
            const std::size_t apart = b / each - a / each;
            table.add(a, b, 40 + 10.0 * static_cast<double>(std::min(apart, groups - apart)), 0);
        }
    TreeFit fit(table, 0.5);
    const Node ring = fit.switches().front();
    for (std::size_t group = 1; group < groups; ++group) {
        Split split{{}, 10};
        for (const std::vector<Node>& hosts : fit.tree().branches(ring))
            split.second.push_back(hosts.size() == 1 && hosts.front() / each == group);
        fit.split(ring, split);
    }
    fit.fit();
    EXPECT_EQ(find_meshes(fit), std::vector<Node>{ring});
}

}  // namespace
}  // namespace trellis::plugins::infer
