#include "plugins/infer/matrix/rtt_matrix.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

namespace trellis::plugins::infer {
namespace {

constexpr double most_rtt_ms = 3.6e6;
constexpr std::size_t longest_name = 255;

struct Line {
    std::size_t number = 0;  // in the text, from 1
    std::string_view text;
};

Failure at(const Line& line, const std::string& cause) {
    return invalid("line " + std::to_string(line.number) + ": " + cause);
}
Failure at(const Line& line, std::size_t field, const std::string& cause) {
    return invalid("line " + std::to_string(line.number) + ", field " + std::to_string(field + 1) + ": " +
                   cause);
}

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blanks = " \t\r\v\f";
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// One more than there may be, at most.
std::vector<Line> lines_of(std::string_view text) {
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
    std::vector<Line> lines;
    for (std::size_t number = 1; !text.empty() && lines.size() < most_matrix_hosts + 2; ++number) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        const std::string_view content = trimmed(line.substr(0, line.find('#')));
        if (!content.empty()) lines.push_back({number, content});
    }
    return lines;
}

using Fields = std::vector<std::string_view>;

// One more than there may be, at most.
void split(std::string_view text, bool commas, Fields& fields) {
    fields.clear();
    while (commas || !text.empty()) {
        const std::size_t end = std::min(commas ? text.find(',') : text.find_first_of(" \t"), text.size());
        std::string_view field = trimmed(text.substr(0, end));
        if (field.size() >= 2 && field.front() == '"' && field.back() == '"')
            field = field.substr(1, field.size() - 2);
        fields.push_back(field);
        if (end == text.size() || fields.size() > most_matrix_hosts + 1) return;
        text.remove_prefix(end + 1);
        if (!commas) text = trimmed(text);
    }
}

bool same_letters(std::string_view text, std::string_view lower) {
    return std::ranges::equal(text, lower, {},
                              [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
}

bool is_missing(std::string_view field) {
    return field.empty() || field == "-" || field == "-1" || same_letters(field, "nan") ||
           same_letters(field, "na");
}

std::optional<double> number_of(std::string_view field) {
    double number = 0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), number);
    if (error != std::errc{} || end != field.data() + field.size()) return std::nullopt;
    return number;
}

bool is_name(std::string_view field) {
    return !is_missing(field) && !number_of(field);
}

// Whether the fields are 0, 1, ... after `corner` fields.
bool counts_hosts(const Fields& fields, std::size_t corner) {
    for (std::size_t host = 0; host + corner < fields.size(); ++host)
        if (fields[host + corner] != std::to_string(host)) return false;
    return fields.size() > corner;
}

class MatrixText {
  public:
    explicit MatrixText(std::string_view text) : lines_(lines_of(text)) {}

    Result<RttMatrix> matrix();

  private:
    bool has_header();
    Result<void> measure_table();
    Result<std::vector<std::string>> names();
    Result<void> read_row(std::size_t host, RttMatrix& matrix);

    std::vector<Line> lines_;
    bool commas_ = false;
    bool header_ = false;
    bool named_rows_ = false;
    std::size_t hosts_ = 0;
    Fields fields_;
};

// A first line whose other fields are all numbers is no header, but a row with its name, if the lines are as
// many as those.
bool MatrixText::has_header() {
    split(lines_.front().text, commas_, fields_);
    if (lines_.size() == fields_.size() + 1 && counts_hosts(fields_, 0)) return true;
    if (lines_.size() == fields_.size() && is_missing(fields_.front()) && counts_hosts(fields_, 1))
        return true;
    const auto names = std::ranges::count_if(fields_, is_name);
    const bool named_row = names == 1 && is_name(fields_.front()) && fields_.size() == lines_.size() + 1;
    return names > 0 && !named_row;
}

Result<void> MatrixText::measure_table() {
    if (lines_.empty()) return invalid("the matrix is empty");
    commas_ = lines_.front().text.find(',') != std::string_view::npos;
    header_ = has_header();
    hosts_ = lines_.size() - (header_ ? 1 : 0);
    if (hosts_ == 0) return at(lines_.front(), "the names of hosts, but no line of round-trip times follows");
    if (hosts_ > most_matrix_hosts)
        return invalid("more than " + std::to_string(most_matrix_hosts) + " lines of round-trip times");
    const Line& first = lines_[header_ ? 1 : 0];
    split(first.text, commas_, fields_);
    named_rows_ = fields_.size() == hosts_ + 1 && (header_ || is_name(fields_.front()));
    if (fields_.size() == hosts_ || named_rows_) return {};
    return at(first, std::to_string(fields_.size()) + " fields, but " + std::to_string(hosts_) +
                         " lines: the matrix is not square");
}

Result<void> add_name(const Line& line, std::size_t field, std::string_view name,
                      std::vector<std::string>& names) {
    const auto printable = [](char c) { return c >= ' ' && c <= '~'; };
    if (name.empty()) return at(line, field, "a host without a name");
    if (name.size() > longest_name) return at(line, field, "a name of more than 255 characters");
    if (!std::ranges::all_of(name, printable))
        return at(line, field, "a name that is not of printable ASCII characters");
    names.emplace_back(name);
    return {};
}

Result<std::vector<std::string>> MatrixText::names() {
    std::vector<std::string> of_header, of_rows;
    if (header_) {
        const Line& line = lines_.front();
        split(line.text, commas_, fields_);
        if (fields_.size() != hosts_ && !(named_rows_ && fields_.size() == hosts_ + 1))
            return at(line,
                      std::to_string(fields_.size()) + " names for " + std::to_string(hosts_) + " hosts");
        for (std::size_t field = fields_.size() - hosts_; field < fields_.size(); ++field)
            if (const auto added = add_name(line, field, fields_[field], of_header); !added)
                return added.error();
    }
    for (std::size_t host = 0; host < hosts_; ++host) {
        const Line& line = lines_[host + (header_ ? 1 : 0)];
        if (!named_rows_) {
            of_rows.push_back(header_ ? of_header[host] : std::to_string(host));
            continue;
        }
        split(line.text, commas_, fields_);
        if (const auto added = add_name(line, 0, fields_.front(), of_rows); !added) return added.error();
        if (header_ && of_rows[host] != of_header[host])
            return at(line, 0, "host " + of_rows[host] + ", where the first line has " + of_header[host]);
    }
    std::set<std::string_view> seen;
    for (const std::string& name : of_rows)
        if (!seen.insert(name).second) return invalid("two hosts are named " + name);
    return of_rows;
}

Result<void> MatrixText::read_row(std::size_t host, RttMatrix& matrix) {
    const Line& line = lines_[host + (header_ ? 1 : 0)];
    const std::size_t first = named_rows_ ? 1 : 0;
    split(line.text, commas_, fields_);
    if (fields_.size() != hosts_ + first)
        return at(line,
                  std::to_string(fields_.size()) + " fields instead of " + std::to_string(hosts_ + first));
    for (std::size_t peer = 0; peer < hosts_; ++peer) {
        const std::string_view field = fields_[peer + first];
        if (peer == host || is_missing(field)) continue;
        const std::optional<double> rtt_ms = number_of(field);
        if (!rtt_ms || std::isnan(*rtt_ms))
            return at(line, peer + first, "no round-trip time in milliseconds");
        if (*rtt_ms < 0) return at(line, peer + first, "a negative round-trip time");
        if (*rtt_ms > most_rtt_ms) return at(line, peer + first, "a round-trip time of more than an hour");
        const double rtt_us = 1e3 * *rtt_ms;
        const bool known = matrix.measured(host, peer);
        matrix.set(host, peer, known ? std::min(rtt_us, matrix.rtt_us(host, peer)) : rtt_us);
    }
    return {};
}

Result<RttMatrix> MatrixText::matrix() {
    if (const Result<void> measured = measure_table(); !measured) return measured.error();
    Result<std::vector<std::string>> hosts = names();
    if (!hosts) return hosts.error();
    RttMatrix matrix(std::move(*hosts));
    for (std::size_t host = 0; host < hosts_; ++host)
        if (const Result<void> read = read_row(host, matrix); !read) return read.error();
    return matrix;
}

}  // namespace

Result<RttMatrix> parse_rtt_matrix(std::string_view text) {
    if (text.size() > most_matrix_bytes)
        return invalid("the matrix has " + std::to_string(text.size()) + " bytes; at most " +
                       std::to_string(most_matrix_bytes) + " can be taken");
    return MatrixText(text).matrix();
}

}  // namespace trellis::plugins::infer
