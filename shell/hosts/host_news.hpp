// HostNews: what is to be told of hosts that fell silent, spoke again or were lost while no command said so.
// Pure collector; owned by a front end, which prints the lines.
#pragma once

#include "trellis/outcome.hpp"

#include "shell/hosts/host_values.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace trellis {

class HostNews {
  public:
    void add(const HostEntry& host);
    // Lines for all that was added since, hosts with the same news folded into one. What a command has just
    // told by its outcomes is left out.
    [[nodiscard]] std::vector<std::string> take(const std::map<std::string, Outcome>& told);

  private:
    std::map<std::string, HostEntry> changed_;
    std::set<std::string> silent_;  // of which it was told that they are
};

}  // namespace trellis
