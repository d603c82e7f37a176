// RootCluster: the Cluster over the root of the real control tree. Owned by main.cpp; the Root outlives it.
#pragma once

#include "agentd/core/root.hpp"
#include "shell/session/cluster.hpp"

#include <string>

namespace trellis {

class RootCluster final : public Cluster {
  public:
    // `agent_directory`: where agents' files are kept on the hosts; empty: searched there.
    RootCluster(Root& root, std::string agent_directory)
        : root_(root), agent_directory_(std::move(agent_directory)) {}

    [[nodiscard]] const Membership& membership() const override { return root_.membership(); }
    void on_change(std::function<void(const Member&)> handler) override {
        root_.on_change(std::move(handler));
    }
    Task<std::vector<ExploreResult>> explore(ExplorePlan plan) override;
    [[nodiscard]] Operations& operations() override { return root_.operations(); }

  private:
    Root& root_;
    std::string agent_directory_;
};

}  // namespace trellis
