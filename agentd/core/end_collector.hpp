// EndCollector: at one node of the control tree, holds the ends of operations that come from below, and its
// own, until all have come or some time has passed, and passes them on merged. At the root it takes merged
// ones apart. Owned by the Node; it never sends by itself.
#pragma once

#include "trellis/clock.hpp"
#include "trellis/frame.hpp"

#include "agentd/core/end_merger.hpp"
#include "agentd/core/router.hpp"

#include <functional>
#include <map>
#include <memory>

namespace trellis {

class EndCollector : public std::enable_shared_from_this<EndCollector> {
  public:
    // `pass_on`: takes frames towards the root; at the root, to its user: `done`, or `ends` that name every
    // host.
    EndCollector(Executor executor, Clock& clock, HostId self, std::function<void(Frame)> pass_on);

    // An operation starts on these hosts here and below. `known_above`: the parent has begun the same.
    void begin(OperationId operation, const Router::Split& hosts, bool known_above);
    // A `done` frame of this host or of one below.
    void add(const Frame& done);
    // An `ends` frame from a child. What it says of hosts that are not below that child is ignored.
    void add_merged(HostId child, const Frame& ends, const Router& router);
    // The host is not below this node any more.
    void remove(HostId host);
    // There is another parent, which knows nothing of what has begun.
    void forget_above();
    void close() { pass_on_ = {}; }

  private:
    struct Share {
        EndMerger merger;
        std::map<HostId, HostSet> of_child;
        TimePoint begun;
        TimePoint flush_at;        // of what is held
        bool child_heard = false;  // an end from below is held
    };
    using Place = std::map<OperationId, Share>::iterator;
    void take(OperationId operation, const std::vector<HostId>& hosts, const std::string& end);
    void pass_by(OperationId operation, std::vector<HostId> hosts, const std::string& end);
    void settle(Place place);
    void flush(Place place);
    static Task<void> flush_later(std::weak_ptr<EndCollector> collector, OperationId operation,
                                  Duration hold);

    Executor executor_;
    Clock& clock_;
    HostId self_;
    std::function<void(Frame)> pass_on_;
    std::map<OperationId, Share> shares_;
};

}  // namespace trellis
