// Recording: `estimate record` at the root of the tree: has the hosts measure one another, row by row, and
// appends the rows to a file. A host that is lost or silent leaves empty fields. Owned by the command.
#pragma once

#include "trellis/command.hpp"

#include "plugins/estimate/estimate_options.hpp"
#include "plugins/estimate/record/history_file.hpp"
#include "plugins/estimate/record/messages.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace trellis::plugins::estimate {

class Recording {
  public:
    // `context` and `plan` outlive it. `root`: the one host that measures the others; the first one if empty.
    Recording(CommandContext& context, const RecordPlan& plan, std::string root)
        : context_(context), plan_(plan), root_(std::move(root)) {}
    // The exit status.
    Task<int> run();

  private:
    [[nodiscard]] Result<void> choose_hosts();
    Task<void> wait_until_ready();
    void introduce();
    Task<void> read_events();
    void begin_row(std::uint64_t row);
    Task<void> write_rows(HistoryFile& file);
    void note(const OperationEvent& event);
    void take(HostId host, const Measured& measured);
    void leave_out(HostId host, const std::string& why);
    [[nodiscard]] std::size_t number_of(HostId host) const;
    [[nodiscard]] bool measures(std::size_t host) const { return plan_.between_all || host == root_number_; }
    [[nodiscard]] bool any_measures() const;
    [[nodiscard]] Duration timeout() const;

    CommandContext& context_;
    const RecordPlan& plan_;
    std::string root_;
    std::size_t root_number_ = 0;
    std::vector<Host> hosts_;
    std::vector<std::uint16_t> ports_;  // 0: not ready
    std::vector<bool> out_;
    std::vector<std::string> columns_;
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> column_of_;  // of measuring and measured host
    std::unique_ptr<Operation> operation_;
    std::uint64_t row_ = 0;
    std::array<std::vector<double>, 2>
        round_trips_;  // of this row and of the one before, which is still open
    int status_ = 0;
};

}  // namespace trellis::plugins::estimate
