// A topology for the plugin topology/tree of the batch system Slurm, in both of its formats. Writing only:
// Slurm knows no delays and no doubts.
#pragma once

#include "trellis/result.hpp"
#include "trellis/topology.hpp"

#include <string>

namespace trellis {

// The tree rooted at centre(), children before their parents, as topology.conf(5), which every Slurm reads:
//   SwitchName=s2 Nodes=a[00-15]
//   SwitchName=s1 Switches=s[2-3]
// A switch of Slurm has hosts or switches below it, not both: the hosts of one that has both get a switch of
// their own, "s1_hosts". Switches without hosts below are left out. What is no tree is marked by a comment.
// Refused, naming the host or switch, if Slurm would not take a name: 1 to 64 letters, digits, '.', '_' or
// '-', and no word of Slurm's own; or if there are no hosts.
[[nodiscard]] Result<std::string> slurm_topology_conf(const Topology& topology);

// The same as topology.yaml(5), of Slurm 25.05 and later, with the one topology "trellis", the cluster's
// default.
[[nodiscard]] Result<std::string> slurm_topology_yaml(const Topology& topology);

}  // namespace trellis
