#include "plugins/bcast/progress_line.hpp"

#include "plugins/bcast/figures.hpp"

#include <algorithm>

namespace trellis::plugins::bcast {

std::string progress_line(const ProgressFigures& figures) {
    const double rate = figures.seconds > 0 ? (figures.stored - figures.kept) / figures.seconds : 0;
    std::string line = "bcast: " + bytes_text(figures.stored);
    if (figures.all) line += " of " + bytes_text(static_cast<double>(*figures.all));
    line += ", " + bytes_text(rate) + "/s";
    if (figures.all && rate > 0) {
        const double left = static_cast<double>(*figures.all) - figures.stored;
        line += ", " + seconds_text(std::max(left, 0.0) / rate) + " left";
    }
    return line + "; " + std::to_string(figures.have) + " of " + std::to_string(figures.hosts) +
           " hosts have it";
}

}  // namespace trellis::plugins::bcast
