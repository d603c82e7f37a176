// History: round-trip times to hosts over time, one row a sample. A plain value: from a file or a recording;
// it knows no session. Times in milliseconds, of lost samples not known.
//
// As text: CSV, first the line "time,HOST,HOST,...", then one line a sample: the time in seconds (of any
// beginning, ascending), and for each host a round-trip time, or nothing where it was lost. A column that is
// named A->B has the round-trip times from A to B; one named B those from wherever the file was recorded.
#pragma once

#include "trellis/result.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trellis::plugins::estimate {

inline constexpr std::size_t most_history_bytes = std::size_t{256} << 20;

struct History {
    std::vector<std::string> columns;              // as written
    std::vector<double> times;                     // seconds
    std::vector<std::vector<double>> round_trips;  // [column][row], NaN: lost

    [[nodiscard]] std::size_t rows() const { return times.size(); }
    // The median time from one sample to the next, in seconds; 1 if there are fewer than two.
    [[nodiscard]] double interval() const;
};

// A last line that has no end and too few fields, as an interrupted recording leaves it, does not count.
// `ms_per_unit`: what the round-trip times are written in. The failure names the line and what is wrong
// there.
[[nodiscard]] Result<History> parse_history(std::string_view text, double ms_per_unit = 1);
// The failure begins with the path.
[[nodiscard]] Result<History> read_history(const std::string& path, double ms_per_unit = 1);

// The one host from which all columns are, if each names a pair; else empty.
[[nodiscard]] std::string only_root(const History& history);

// The columns of these hosts as seen from the root: those named ROOT->HOST if there are such, else those
// named HOST. Empty `hosts`: all but the root. Empty `root`: columns named by a host alone. Columns are named
// by host then. Refused if a host has none.
[[nodiscard]] Result<History> select_columns(const History& history, const std::string& root,
                                             const std::vector<std::string>& hosts);

// As the source does (section 4.1), a lost sample has the value of the one before it, those at the beginning
// that of the first one that was not lost. Hosts of which every sample was lost are left out and named.
struct FilledHistory {
    History history;
    std::vector<std::string> silent;
};
[[nodiscard]] FilledHistory fill_lost(History history);

// The greatest round-trip time of each row; of a filled history.
[[nodiscard]] std::vector<double> row_maxima(const History& history);

}  // namespace trellis::plugins::estimate
