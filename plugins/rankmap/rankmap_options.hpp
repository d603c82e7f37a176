// The options of `rankmap`: declared, read and checked. A value; owned by the command.
#pragma once

#include "trellis/option_set.hpp"

#include "plugins/rankmap/host_slots.hpp"
#include "plugins/rankmap/path_costs.hpp"
#include "plugins/rankmap/placing.hpp"
#include "plugins/rankmap/rank_file.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace trellis::plugins::rankmap {

class RankmapOptions {
  public:
    void declare(OptionSet& options);
    // Once, after the words have been read: what is wrong with them, for the user; nothing if all is well.
    [[nodiscard]] std::optional<std::string> complete();

    [[nodiscard]] const HostSlots& slots() const { return slots_; }
    [[nodiscard]] std::optional<std::size_t> ranks() const { return ranks_; }
    [[nodiscard]] Method method() const { return method_; }
    // A built-in one, or a file.
    [[nodiscard]] const std::optional<std::string>& pattern() const { return pattern_; }
    [[nodiscard]] CostMeasure measure() const { return measure_; }
    [[nodiscard]] std::uint64_t seed() const { return seed_; }
    // Nothing: the text for people.
    [[nodiscard]] std::optional<Format> format() const { return format_; }
    [[nodiscard]] const std::optional<std::string>& output() const { return output_; }
    // Nothing: those that are selected.
    [[nodiscard]] const std::optional<std::vector<std::string>>& hosts() const { return hosts_; }
    [[nodiscard]] bool run() const { return run_; }
    [[nodiscard]] const std::string& launcher() const { return launcher_; }
    [[nodiscard]] const std::vector<std::string>& program() const { return program_; }

  private:
    [[nodiscard]] Result<void> read_values();
    [[nodiscard]] std::optional<std::string> what_contradicts() const;

    OptionSet* options_ = nullptr;
    std::string slots_text_ = "1", method_text_ = "depth-first", cost_text_ = "delay", launcher_;
    std::optional<std::string> pattern_, format_text_, output_, hosts_text_;
    std::optional<int> ranks_number_;
    std::uint64_t seed_ = 1;
    bool json_ = false, run_ = false;
    HostSlots slots_;
    std::optional<std::size_t> ranks_;
    Method method_ = Method::depth_first;
    CostMeasure measure_ = CostMeasure::delay;
    std::optional<Format> format_;
    std::optional<std::vector<std::string>> hosts_;
    std::vector<std::string> program_;
};

}  // namespace trellis::plugins::rankmap
