// RecordedOperations: passes operations through and keeps each host's outcome, so that every command leaves
// the outcomes by which hosts can be selected. A host that failed once in a command has failed. Owned by the
// invocation; the operations that it starts must end before it.
#pragma once

#include "trellis/operation.hpp"

#include <functional>
#include <map>
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

  private:
    class Recorded;

    Operations& inner_;
    std::function<std::string(HostId)> name_;
    std::map<std::string, Outcome> outcomes_;
};

}  // namespace trellis
