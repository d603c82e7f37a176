#include "plugins/rankmap/traffic_text.hpp"

#include "agentd/model/rank_order.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace trellis::plugins::rankmap {
namespace {

constexpr std::string_view market_banner = "%%matrixmarket";
constexpr float most_amount = 1e30F;

bool separates(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == ',';
}

// Takes the next word off; empty at the end.
std::string_view take_word(std::string_view& text) {
    const auto begin = std::ranges::find_if_not(text, separates);
    const auto end = std::find_if(begin, text.end(), separates);
    const std::string_view word(begin, end);
    text = std::string_view(end, text.end());
    return word;
}

std::string lower(std::string_view word) {
    std::string text(word);
    for (char& c : text)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return text;
}

template <class Number>
std::optional<Number> number_in(std::string_view word) {
    Number number{};
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
    return number;
}

class TrafficReader {
  public:
    explicit TrafficReader(std::string_view text) : text_(text) {}

    Result<Traffic> read();

  private:
    struct Header {
        bool coordinates = false, counted = false, symmetric = false;
        std::size_t ranks = 0, entries = 0;
    };

    // The next line that says something, without its comment; false at the end.
    bool next_line(char comment);
    [[nodiscard]] Failure wrong(const std::string& cause) const {
        return invalid("line " + std::to_string(line_number_) + ": " + cause);
    }
    Result<void> add(std::size_t from, std::size_t to, std::string_view word);
    Result<std::size_t> read_rank(std::size_t ranks);
    Result<Traffic> read_square();
    Result<Traffic> read_market();
    Result<Header> read_header();
    Result<void> read_sizes(Header& header);
    Result<void> read_entry(const Header& header);
    Result<void> read_column_entry(const Header& header, std::size_t& place);

    std::string_view text_, line_;
    std::size_t line_number_ = 0;
    std::vector<Message> messages_;
};

bool TrafficReader::next_line(char comment) {
    while (!text_.empty()) {
        const std::size_t end = std::min(text_.find('\n'), text_.size());
        line_ = text_.substr(0, end);
        text_.remove_prefix(std::min(end + 1, text_.size()));
        ++line_number_;
        line_ = line_.substr(0, line_.find(comment));
        if (!std::ranges::all_of(line_, separates)) return true;
    }
    return false;
}

Result<void> TrafficReader::add(std::size_t from, std::size_t to, std::string_view word) {
    const auto amount = number_in<float>(word);
    if (!amount || !(*amount <= most_amount)) return wrong("'" + std::string(word) + "' is no number");
    if (*amount < 0) return wrong("a negative amount");
    if (*amount == 0 || from == to) return {};
    if (messages_.size() == most_traffic_entries)
        return wrong("more than " + std::to_string(most_traffic_entries) + " entries");
    messages_.push_back({static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to), *amount});
    return {};
}

Result<Traffic> TrafficReader::read() {
    if (text_.size() > most_traffic_bytes)
        return invalid("the file has more than " + std::to_string(most_traffic_bytes) + " bytes");
    if (lower(text_.substr(0, market_banner.size())) == market_banner) return read_market();
    return read_square();
}

Result<Traffic> TrafficReader::read_square() {
    std::size_t ranks = 0, row = 0;
    for (; next_line('#'); ++row) {
        std::size_t column = 0;
        for (std::string_view word = take_word(line_); !word.empty(); word = take_word(line_), ++column) {
            if (column == most_ranks) return wrong("more than " + std::to_string(most_ranks) + " ranks");
            if (auto added = add(row, column, word); !added) return added.error();
        }
        if (row == 0) ranks = column;
        if (column != ranks)
            return wrong(std::to_string(column) + " numbers instead of " + std::to_string(ranks));
        if (row == ranks) return wrong("more lines than the " + std::to_string(ranks) + " numbers of each");
    }
    if (ranks == 0) return invalid("the matrix is empty");
    if (row < ranks)
        return wrong("only " + std::to_string(row) + " lines of " + std::to_string(ranks) + " numbers");
    return Traffic(ranks, messages_);
}

Result<TrafficReader::Header> TrafficReader::read_header() {
    next_line('\n');
    std::vector<std::string> words;
    for (std::string_view word = take_word(line_); !word.empty(); word = take_word(line_))
        words.push_back(lower(word));
    const auto one_of = [&](std::size_t place, std::initializer_list<std::string_view> names) {
        return std::ranges::find(names, words[place]) != names.end();
    };
    if (words.size() != 5 || words[1] != "matrix" || !one_of(2, {"coordinate", "array"}) ||
        !one_of(3, {"real", "integer", "pattern"}) || !one_of(4, {"general", "symmetric"}))
        return wrong(
            "expected %%MatrixMarket matrix coordinate|array real|integer|pattern general|symmetric");
    Header header;
    header.coordinates = words[2] == "coordinate";
    header.counted = words[3] == "pattern";
    header.symmetric = words[4] == "symmetric";
    if (header.counted && !header.coordinates) return wrong("an array has numbers, no pattern");
    if (const auto sized = read_sizes(header); !sized) return sized.error();
    return header;
}

Result<void> TrafficReader::read_sizes(Header& header) {
    if (!next_line('%')) return wrong("the line with the sizes is missing");
    std::vector<std::size_t> sizes;
    for (std::string_view word = take_word(line_); !word.empty(); word = take_word(line_))
        sizes.push_back(number_in<std::size_t>(word).value_or(0));
    if (sizes.size() != (header.coordinates ? 3 : 2)) return wrong("expected the sizes of the matrix");
    if (sizes[0] != sizes[1] || sizes[0] == 0) return wrong("the matrix is not square");
    if (sizes[0] > most_ranks) return wrong("more than " + std::to_string(most_ranks) + " ranks");
    header.ranks = sizes[0];
    header.entries = header.symmetric ? sizes[0] * (sizes[0] + 1) / 2 : sizes[0] * sizes[0];
    if (header.coordinates) header.entries = sizes[2];
    if (header.entries > 10 * most_traffic_entries) return wrong("too many entries");
    return {};
}

// As written, from 1; as returned, from 0.
Result<std::size_t> TrafficReader::read_rank(std::size_t ranks) {
    const std::string_view word = take_word(line_);
    const auto number = number_in<std::size_t>(word);
    if (number && *number >= 1 && *number <= ranks) return *number - 1;
    return wrong("'" + std::string(word) + "' is no row or column from 1 to " + std::to_string(ranks));
}

Result<void> TrafficReader::read_entry(const Header& header) {
    const auto from = read_rank(header.ranks);
    if (!from) return from.error();
    const auto to = read_rank(header.ranks);
    if (!to) return to.error();
    const std::string_view amount = header.counted ? "1" : take_word(line_);
    if (!take_word(line_).empty()) return wrong("more than one entry");
    if (auto added = add(*from, *to, amount); !added || !header.symmetric) return added;
    return add(*to, *from, amount);
}

// Arrays are written column by column; of symmetric ones what is above the diagonal is left out.
Result<void> TrafficReader::read_column_entry(const Header& header, std::size_t& place) {
    if (place == header.ranks * header.ranks) return wrong("more numbers than the matrix has");
    const std::size_t from = place % header.ranks, to = place / header.ranks;
    const std::string_view amount = take_word(line_);
    if (!take_word(line_).empty()) return wrong("more than one number");
    if (auto added = add(from, to, amount); !added) return added;
    ++place;
    if (!header.symmetric) return {};
    if (place % header.ranks == 0) place += place / header.ranks;
    return add(to, from, amount);
}

Result<Traffic> TrafficReader::read_market() {
    const auto header = read_header();
    if (!header) return header.error();
    std::size_t entries = 0;
    for (std::size_t place = 0; next_line('%'); ++entries) {
        if (entries == header->entries) return wrong("more entries than " + std::to_string(entries));
        const auto read = header->coordinates ? read_entry(*header) : read_column_entry(*header, place);
        if (!read) return read.error();
    }
    if (entries < header->entries)
        return wrong("only " + std::to_string(entries) + " of " + std::to_string(header->entries) +
                     " entries");
    return Traffic(header->ranks, messages_);
}

}  // namespace

Result<Traffic> parse_traffic(std::string_view text) {
    return TrafficReader(text).read();
}

}  // namespace trellis::plugins::rankmap
