#include "plugins/infer/tree/switch_tree.hpp"

#include <algorithm>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace trellis::plugins::infer {
namespace {

// One tree over all hosts and switches with links; each link known at both ends, with one length.
void expect_tree(const SwitchTree& tree) {
    std::size_t ends = 0, reached = 0;
    for (Node node = 0; node < tree.nodes(); ++node) {
        ends += tree.edges(node).size();
        for (const TreeEdge& edge : tree.edges(node)) {
            ASSERT_EQ(std::ranges::count(tree.edges(edge.to), node, &TreeEdge::to), 1);
            ASSERT_EQ(tree.length(node, edge.to), tree.length(edge.to, node));
        }
    }
    for (Node host = 0; host < tree.hosts(); ++host)
        ASSERT_EQ(tree.edges(host).size(), 1u);
    for (const Node node : tree.switches())
        ASSERT_GE(tree.edges(node).size(), 3u);
    ASSERT_EQ(ends, 2 * (tree.hosts() + tree.switches().size() - 1));
    for (const std::vector<Node>& branch : tree.branches(tree.switches().front()))
        reached += branch.size();
    ASSERT_EQ(reached, tree.hosts());
}

std::vector<std::vector<double>> host_distances(const SwitchTree& tree) {
    std::vector<std::vector<double>> all;
    for (Node host = 0; host < tree.hosts(); ++host) {
        all.push_back(tree.distances(host));
        all.back().resize(tree.hosts());
    }
    return all;
}

// Splits, merges and moves at random.
class TreeGardener {
  public:
    TreeGardener(std::size_t hosts, std::uint64_t seed) : random_(seed), tree_(SwitchTree::star(hosts)) {
        for (Node host = 0; host < hosts; ++host)
            tree_.set_length(host, tree_.switch_of(host), static_cast<double>(1 + below(50)));
    }
    [[nodiscard]] const SwitchTree& tree() const { return tree_; }

    // Whether the distances between hosts stay as they were.
    bool work() {
        switch (below(3)) {
            case 0:
                split();
                return true;
            case 1:
                return merge();
            default:
                move();
                return false;
        }
    }

  private:
    std::size_t below(std::size_t end) {
        return std::uniform_int_distribution<std::size_t>(0, end - 1)(random_);
    }
    Node some_switch() {
        const std::vector<Node> switches = tree_.switches();
        return switches[below(switches.size())];
    }
    void split() {
        const Node node = some_switch();
        const std::size_t links = tree_.edges(node).size();
        if (links < 4) return;
        std::vector<bool> moved(links, false);
        std::fill_n(moved.begin(), 2 + below(links - 3), true);
        std::shuffle(moved.begin(), moved.end(), random_);
        tree_.split(node, moved);
    }
    bool merge() {
        const Node a = some_switch();
        for (const TreeEdge& edge : tree_.edges(a)) {
            if (tree_.is_host(edge.to)) continue;
            const bool same = edge.rtt_us == 0;
            tree_.merge(a, edge.to);
            return same;
        }
        return true;
    }
    void move() {
        const Node host = static_cast<Node>(below(tree_.hosts())), from = tree_.switch_of(host);
        const Node to = some_switch();
        if (to != from) tree_.move(host, from, to);
        for (const TreeEdge& edge : std::vector<TreeEdge>(tree_.edges(to)))
            tree_.set_length(to, edge.to, static_cast<double>(below(20)));
    }

    std::mt19937_64 random_;
    SwitchTree tree_;
};

TEST(SwitchTree, StaysATreeWhateverIsDoneToIt) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        TreeGardener gardener(3 + 2 * seed, seed);
        std::size_t most = 0;
        for (int i = 0; i < 200; ++i) {
            const auto before = host_distances(gardener.tree());
            const bool same = gardener.work();
            ASSERT_NO_FATAL_FAILURE(expect_tree(gardener.tree())) << "seed " << seed << ", step " << i;
            if (same) {
                ASSERT_EQ(host_distances(gardener.tree()), before);
            }
            most = std::max(most, gardener.tree().switches().size());
        }
        EXPECT_GT(most, 1u) << "seed " << seed;
    }
}

TEST(SwitchTree, ASwitchInALinkLeavesDistancesAsTheyAre) {
    SwitchTree tree = SwitchTree::star(4);
    const Node left = tree.switch_of(0), right = tree.split(left, {false, true, true, false});
    tree.set_length(left, right, 8);
    const auto before = host_distances(tree);
    const Node middle = tree.split_link(left, right);
    EXPECT_EQ(tree.length(left, middle), 4);
    EXPECT_EQ(tree.edges(middle).size(), 2u);
    EXPECT_EQ(host_distances(tree), before);
}

TEST(SwitchTree, ASwitchLeftWithTwoLinksGoes) {
    SwitchTree tree = SwitchTree::star(5);
    const Node left = tree.switch_of(0), right = tree.split(left, {false, false, false, true, true});
    tree.set_length(left, right, 8);
    tree.set_length(4, right, 3);
    tree.move(3, right, left);
    expect_tree(tree);
    EXPECT_EQ(tree.switches(), std::vector<Node>{left});
    EXPECT_EQ(tree.length(4, left), 11);
}

TEST(SwitchTree, GraftedTreesKeepTheirDistances) {
    SwitchTree part = SwitchTree::star(4);
    for (Node host = 0; host < 4; ++host)
        part.set_length(host, part.switch_of(host), host + 1);
    const Node far = part.split(part.switch_of(0), {false, false, true, true});
    part.set_length(part.switch_of(0), far, 7);
    SwitchTree whole(9);
    const std::vector<Node> hosts{8, 0, 5, 2};
    const std::vector<Node> here = whole.graft(part, hosts);
    const Node across = whole.switch_of(2);
    EXPECT_EQ(across, here[far]);
    for (Node host = 0; host < 4; ++host) {
        EXPECT_EQ(here[host], hosts[host]);
        for (Node other = 0; other < 4; ++other)
            EXPECT_EQ(whole.distances(hosts[host])[hosts[other]], part.distances(host)[other]);
    }
    EXPECT_TRUE(whole.edges(1).empty());
}

TEST(SwitchTree, BranchesAreTheHostsBeyondEachLink) {
    SwitchTree tree = SwitchTree::star(5);
    const Node left = tree.switch_of(0), right = tree.split(left, {false, true, true, false, false});
    const auto branches = tree.branches(left);
    ASSERT_EQ(branches.size(), tree.edges(left).size());
    for (std::size_t b = 0; b < branches.size(); ++b) {
        const Node to = tree.edges(left)[b].to;
        const std::set<Node> expected = to == right ? std::set<Node>{1, 2} : std::set<Node>{to};
        EXPECT_EQ(std::set<Node>(branches[b].begin(), branches[b].end()), expected);
    }
}

}  // namespace
}  // namespace trellis::plugins::infer
