#include "plugins/estimate/record/history_file.hpp"

#include "plugins/estimate/history/history.hpp"
#include "plugins/estimate/text_fields.hpp"

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace trellis::plugins::estimate {

Result<HistoryFile> HistoryFile::open(const std::string& path, const std::vector<std::string>& columns) {
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (descriptor < 0) return invalid(path + ": " + std::strerror(errno));
    HistoryFile file(path, descriptor);
    std::string header = "time";
    for (const std::string& column : columns)
        header += "," + column;
    if (const Result<void> taken = file.take_over(header + "\n"); !taken) return taken.error();
    return file;
}

HistoryFile::HistoryFile(HistoryFile&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      last_time_(other.last_time_) {}

HistoryFile::~HistoryFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

Result<void> HistoryFile::take_over(const std::string& header) {
    const Result<std::string> text = read_text_file(path_, most_history_bytes);
    if (!text) return text.error();
    const std::size_t whole = text->rfind('\n') + 1;  // 0: no line is whole
    if (whole == 0 && header.compare(0, text->size(), *text) != 0) return invalid(path_ + ": not a history");
    if (::ftruncate(descriptor_, static_cast<off_t>(whole)) != 0)
        return invalid(path_ + ": " + std::strerror(errno));
    if (whole == 0) return write_whole(header);
    if (!text->starts_with(header)) return invalid(path_ + ": is the history of other hosts");
    if (whole == header.size()) return {};
    const Result<History> known = parse_history(std::string_view(*text).substr(0, whole));
    if (!known) return invalid(path_ + ": " + known.error().cause);
    last_time_ = known->times.back();
    return {};
}

Result<void> HistoryFile::append(double time, const std::vector<double>& round_trips) {
    char field[48];
    std::snprintf(field, sizeof field, "%.3f", time);
    std::string row = field;
    for (const double ms : round_trips) {
        std::snprintf(field, sizeof field, ",%.6f", ms);
        row += std::isnan(ms) ? "," : field;
    }
    last_time_ = time;
    return write_whole(row + "\n");
}

Result<void> HistoryFile::write_whole(const std::string& text) {
    ssize_t written = 0;
    do
        written = ::write(descriptor_, text.data(), text.size());
    while (written < 0 && errno == EINTR);
    if (written == static_cast<ssize_t>(text.size())) return {};
    return invalid(path_ + ": " + (written < 0 ? std::strerror(errno) : "no room for a whole row"));
}

}  // namespace trellis::plugins::estimate
