// HostChoice: which hosts load a link: those on one side of it send, those on the other take. Near ones
// first, and those that can be fast by what is known; spread, so that the links between them and the one to
// be measured are not full before it is. For one link; makes nothing busy itself.
#pragma once

#include "plugins/bwtree/flow.hpp"
#include "plugins/bwtree/supply.hpp"

#include <cstddef>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

namespace trellis::plugins::bwtree {

class HostChoice {
  public:
    // All outlive it. `busy`: by link, which others use.
    HostChoice(const DirectedPaths& paths, std::size_t hosts, const Supply& supply,
               const std::vector<bool>& busy)
        : paths_(paths), hosts_(hosts), supply_(supply), busy_(busy) {}

    // `count` flows over the link, of as many hosts on each side or all that there are, or one for each pair;
    // nothing if the links to them are busy.
    [[nodiscard]] std::optional<std::vector<Flow>> flows_over(DirectedLink target, std::size_t count);

  private:
    enum class Side { senders, receivers };
    struct Use {
        double rate = 0;
        std::size_t hosts = 0;
    };
    std::vector<TopologyNode> hosts_behind(DirectedLink outwards, Side side, std::size_t count);
    [[nodiscard]] bool funnelled(DirectedLink outwards, std::size_t hosts) const;
    std::optional<TopologyNode> one_more(DirectedLink outwards, Side side, std::size_t quota);
    std::optional<DirectedLink> best_branch(DirectedLink from, Side side, std::size_t quota) const;
    [[nodiscard]] double left(DirectedLink outwards, Side side) const;

    const DirectedPaths& paths_;
    std::size_t hosts_;
    const Supply& supply_;
    const std::vector<bool>& busy_;
    // By link, outwards from the one to be measured.
    std::unordered_map<DirectedLink, Use> used_;
    std::set<DirectedLink> blocked_;  // all that is beyond them is busy
};

}  // namespace trellis::plugins::bwtree
