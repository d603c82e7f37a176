// The two values about hosts that every session has on its bus: `hosts` (all that are known) and `selection`.
// Immutable, shared by whoever reads them.
#pragma once

#include "trellis/bus.hpp"
#include "trellis/host.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace trellis {

// How the session stands to a host whose name it knows.
enum class HostState : std::uint8_t { known, alive, suspect, lost };

[[nodiscard]] std::string_view host_state_name(HostState state);

struct HostEntry {
    Host host;  // only its name is set where no agent ever ran
    HostState state = HostState::known;
    std::string cause;  // why it is not alive
    [[nodiscard]] bool running() const { return state == HostState::alive || state == HostState::suspect; }
};

class HostsValue final : public Value {
  public:
    static constexpr std::string_view type_name = "hosts";
    explicit HostsValue(std::vector<HostEntry> entries) : entries_(std::move(entries)) {}
    [[nodiscard]] const std::vector<HostEntry>& entries() const { return entries_; }
    [[nodiscard]] std::string_view type() const override { return type_name; }
    [[nodiscard]] nlohmann::json to_json() const override;
    [[nodiscard]] std::string to_text() const override;
    static Result<std::shared_ptr<const Value>> from_json(const nlohmann::json& json);

  private:
    std::vector<HostEntry> entries_;
};

class SelectionValue final : public Value {
  public:
    static constexpr std::string_view type_name = "selection";
    explicit SelectionValue(std::vector<std::string> names) : names_(std::move(names)) {}
    [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
    [[nodiscard]] std::string_view type() const override { return type_name; }
    [[nodiscard]] nlohmann::json to_json() const override;
    [[nodiscard]] std::string to_text() const override;  // folded
    static Result<std::shared_ptr<const Value>> from_json(const nlohmann::json& json);

  private:
    std::vector<std::string> names_;
};

}  // namespace trellis
