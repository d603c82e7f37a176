#include "plugins/infer/matrix/matrix_file.hpp"

#include "plugins/infer/matrix/simplest_tree.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <span>
#include <utility>
#include <vector>

namespace trellis::plugins::infer {
namespace {

// Pairs and hosts are worth a remark beyond this relative error; so many of each are named.
constexpr double much_error = 0.1;
constexpr std::size_t most_named = 3;

Failure about(const std::string& path, const std::string& cause) {
    return invalid(path + ": " + cause);
}

Result<std::string> read_text(const std::string& path) {
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    std::string text;
    std::vector<char> part(65'536);
    while (file.read(part.data(), static_cast<std::streamsize>(part.size())) || file.gcount() > 0) {
        text.append(part.data(), static_cast<std::size_t>(file.gcount()));
        if (text.size() > most_matrix_bytes)
            return about(path, "more than " + std::to_string(most_matrix_bytes) + " bytes");
    }
    if (!file.eof()) return about(path, errno != 0 ? std::strerror(errno) : "cannot be read");
    return text;
}

template <class... Figures>
std::string formatted(const char* format, Figures... figures) {
    char text[128];
    std::snprintf(text, sizeof text, format, figures...);
    return text;
}

// The first few rows with much error, which come first, as one line; empty if there are none.
template <class Row, class Error, class Text>
std::string line_of_worst(const char* what, std::span<const Row> rows, Error error, Text text) {
    std::string line;
    for (const Row& row : rows.first(std::min(rows.size(), most_named)))
        if (row.*error > much_error) line += (line.empty() ? what : "; ") + text(row);
    return line;
}

std::vector<std::string> remarks_on(const Residuals& residuals, const std::vector<std::string>& names) {
    if (residuals.pairs == 0) return {};
    const std::string pairs = line_of_worst<Residuals::OfPair>(
        "worst pairs: ", residuals.worst_pairs, &Residuals::OfPair::relative, [&](const auto& pair) {
            return names[pair.a] + " - " + names[pair.b] +
                   formatted(" %.4g ms, in the tree %.4g ms", pair.rtt_us / 1e3, pair.tree_us / 1e3);
        });
    const std::string hosts = line_of_worst<Residuals::OfHost>(
        "worst hosts, by the median of their pairs: ", residuals.worst_hosts, &Residuals::OfHost::median,
        [&](const auto& host) { return names[host.host] + formatted(" %.1f%%", 100 * host.median); });
    std::vector<std::string> remarks{
        formatted("relative error of the tree's round trips: median %.1f%%, 90th percentile %.1f%%",
                  100 * residuals.median, 100 * residuals.percentile_90)};
    if (!pairs.empty()) remarks.push_back(pairs);
    if (!hosts.empty()) remarks.push_back(hosts);
    return remarks;
}

}  // namespace

Result<RttMatrix> read_rtt_matrix(const std::string& path) {
    const Result<std::string> text = read_text(path);
    if (!text) return text.error();
    Result<RttMatrix> matrix = parse_rtt_matrix(*text);
    if (!matrix) return about(path, matrix.error().message());
    return matrix;
}

Result<Finding> infer_from_file(const std::string& path) {
    const Result<RttMatrix> matrix = read_rtt_matrix(path);
    if (!matrix) return matrix.error();
    Result<SimplestTree> tree = simplest_tree(*matrix);
    if (!tree) return about(path, tree.error().message());
    Finding finding{std::move(tree->topology), matrix->measured_pairs(), {}};
    finding.remarks = remarks_on(tree->residuals, matrix->hosts());
    finding.remarks.insert(finding.remarks.end(), tree->remarks.begin(), tree->remarks.end());
    return finding;
}

}  // namespace trellis::plugins::infer
