// HistoryFile: a history on disk that rows are appended to, each by one write, so that whatever interrupts it
// leaves whole rows and at most the beginning of one, which is dropped when the file is opened again. Owned
// by the recording.
#pragma once

#include "trellis/result.hpp"

#include <limits>
#include <string>
#include <vector>

namespace trellis::plugins::estimate {

class HistoryFile {
  public:
    // Made if there is none. Refused if it cannot be written, or if it has other columns.
    [[nodiscard]] static Result<HistoryFile> open(const std::string& path,
                                                  const std::vector<std::string>& columns);
    HistoryFile(HistoryFile&& other) noexcept;
    HistoryFile& operator=(HistoryFile&&) = delete;
    HistoryFile(const HistoryFile&) = delete;
    HistoryFile& operator=(const HistoryFile&) = delete;
    ~HistoryFile();

    // Of its last row, in seconds; below all times if it has none.
    [[nodiscard]] double last_time() const { return last_time_; }
    // Round-trip times in milliseconds, NaN: lost.
    [[nodiscard]] Result<void> append(double time, const std::vector<double>& round_trips);

  private:
    HistoryFile(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
    [[nodiscard]] Result<void> write_whole(const std::string& text);
    [[nodiscard]] Result<void> take_over(const std::string& header);

    std::string path_;
    int descriptor_;
    double last_time_ = -std::numeric_limits<double>::infinity();
};

}  // namespace trellis::plugins::estimate
