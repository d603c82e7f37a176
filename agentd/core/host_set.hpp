// HostSet: a set of host ids as it travels in multicast frames: sorted ranges, so that a thousand consecutive
// hosts cost eight bytes. A value.
#pragma once

#include "trellis/host.hpp"
#include "trellis/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trellis {

class HostSet {
  public:
    HostSet() = default;
    explicit HostSet(std::vector<HostId> ids);  // any order, duplicates allowed

    [[nodiscard]] bool empty() const { return ids_.empty(); }
    [[nodiscard]] const std::vector<HostId>& ids() const { return ids_; }  // sorted
    [[nodiscard]] bool contains(HostId id) const;

    // The set in front of a multicast frame's payload.
    [[nodiscard]] std::string prefix_to(std::string_view payload) const;
    // Reads what prefix_to() wrote. Failure (invalid): malformed, ranges not ascending, or more hosts than
    // `most`.
    static Result<std::pair<HostSet, std::string_view>> read_prefix(std::string_view body,
                                                                    std::size_t most = 1 << 20);

  private:
    std::vector<HostId> ids_;
};

}  // namespace trellis
