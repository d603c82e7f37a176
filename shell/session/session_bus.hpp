// SessionBus: the session's retained values, in memory. Owned by the session; knows no type of value and no
// file.
#pragma once

#include "trellis/bus.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace trellis {

class SessionBus final : public Bus {
  public:
    // Where the membership view and the time of a publication come from.
    SessionBus(std::function<std::uint64_t()> view, std::function<std::int64_t()> unix_time);
    void publish(std::string name, std::shared_ptr<const Value> value,
                 std::vector<std::string> hosts) override;
    [[nodiscard]] const Retained* find(std::string_view name) const override;
    [[nodiscard]] std::vector<std::string> topics() const override;
    // Puts back what a file or another front end kept, with its own time and view.
    void restore(Retained retained);

  private:
    std::map<std::string, Retained, std::less<>> values_;
    std::function<std::uint64_t()> view_;
    std::function<std::int64_t()> unix_time_;
};

}  // namespace trellis
