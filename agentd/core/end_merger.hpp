// EndMerger: the ends of one operation on the hosts from one node of the tree downwards (its share), equal
// ones merged, so that the traffic towards the root grows with the number of different ends and not of hosts.
// Pure; owned by an EndCollector.
#pragma once

#include "trellis/message.hpp"

#include "agentd/core/host_set.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace trellis {

// An end (an encoded OperationEnd) and the hosts that have it.
struct EqualEnds {
    std::string end;
    HostSet hosts;
};

// Body of the frame `ends`.
struct MergedEnds {
    std::vector<std::pair<std::string, std::string>>
        groups;                       // an end, and the hosts as HostSet::prefix_to("")
    std::optional<std::string> rest;  // the end of all others of the sender's share
    template <class Archive>
    void serialize(Archive& archive) {
        archive(groups, rest);
    }
};

class EndMerger {
  public:
    // `known_above`: the node above knows which hosts the share has.
    EndMerger(const HostSet& share, bool known_above)
        : waiting_(share.ids().begin(), share.ids().end()), whole_(known_above) {}

    // Returns those of the hosts that it did not wait for.
    [[nodiscard]] std::vector<HostId> add(const std::vector<HostId>& hosts, const std::string& end);
    // The host has left the share.
    void remove(HostId host);
    void forget_above() { whole_ = false; }

    [[nodiscard]] bool complete() const { return waiting_.empty(); }
    [[nodiscard]] std::size_t bytes() const { return bytes_; }  // of what would be taken
    // What has been added since the last time.
    [[nodiscard]] MergedEnds take();

  private:
    std::set<HostId> waiting_;
    bool whole_;  // nothing was taken yet, nobody has left
    std::map<std::string, std::vector<HostId>> ends_;
    std::size_t bytes_ = 0;
};

// `share`: of the sender, as far as it is known here; nullptr if it is not.
[[nodiscard]] std::vector<EqualEnds> expand(const MergedEnds& merged, const HostSet* share);

}  // namespace trellis
