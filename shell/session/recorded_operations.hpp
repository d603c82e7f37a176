// RecordedOperations: passes operations through and keeps each host's outcome, so that every command leaves
// the outcomes by which hosts can be selected. A host that failed once in a command has failed. Owned by the
// invocation; the operations that it starts must end before it.
#pragma once

#include "trellis/operation.hpp"

#include "shell/running/job.hpp"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace trellis {

class RecordedOperations final : public Operations {
  public:
    RecordedOperations(Operations& inner, std::function<std::string(HostId)> name)
        : inner_(inner), name_(std::move(name)) {}
    std::unique_ptr<Operation> start(OperationRequest request) override;
    void record(const std::string& host, const Outcome& outcome);
    [[nodiscard]] std::map<std::string, Outcome> take() { return std::exchange(outcomes_, {}); }
    // On how many hosts something was started, still runs, and has failed.
    [[nodiscard]] HostCounts hosts() const;

  private:
    class Recorded;
    void end(HostId host, const Outcome& outcome);

    Operations& inner_;
    std::function<std::string(HostId)> name_;
    std::map<std::string, Outcome> outcomes_;
    std::map<HostId, std::size_t> started_;  // on each host, what has not ended
    std::set<HostId> failed_;
};

}  // namespace trellis
