// Writing host ranges. A name is cut into texts and numbers. Names with the same texts are folded one number
// after the other, from the last to the first: those that agree in all other numbers become one bracket.
#include "agentd/model/host_range.hpp"
#include "agentd/model/host_range_digits.hpp"
#include "agentd/model/numbered_texts.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

namespace trellis {
namespace {

constexpr std::size_t most_numbers = 16;  // of one name; later ones are taken as text

// Names in random order lie anywhere in memory: one is fetched while so many before it are cut.
constexpr std::size_t names_ahead = 8;

// A number as written: its digits count above its value, so that equal spellings are equal cells and cells
// sort by length first. Once its position is folded, a cell is the index of a spelled bracket instead.
using Cell = std::uint64_t;
constexpr unsigned length_shift = 56;

Cell make_cell(std::uint64_t value, std::size_t length) {
    return (Cell{length} << length_shift) | value;
}
std::uint64_t value_of(Cell cell) {
    return cell & ((Cell{1} << length_shift) - 1);
}
std::size_t length_of(Cell cell) {
    return cell >> length_shift;
}

std::string spell(Cell cell) {
    const std::string digits = std::to_string(value_of(cell));
    return std::string(length_of(cell) - digits.size(), '0') + digits;
}

// Whether `next` may follow `last` in an interval that began with `first`.
bool follows(Cell first, Cell last, Cell next) {
    if (value_of(next) != value_of(last) + 1) return false;
    const std::size_t digits = std::to_string(value_of(next)).size();
    const bool padded = std::to_string(value_of(first)).size() < length_of(first);
    return length_of(next) == (padded ? std::max(length_of(first), digits) : digits);
}

std::string spell_bracket(std::span<const Cell> sorted) {
    if (sorted.size() == 1) return spell(sorted.front());
    std::string text = "[";
    for (std::size_t first = 0; first < sorted.size();) {
        std::size_t last = first;
        while (last + 1 < sorted.size() && follows(sorted[first], sorted[last], sorted[last + 1]))
            ++last;
        if (first > 0) text += ',';
        text += spell(sorted[first]);
        if (last > first) text += '-' + spell(sorted[last]);
        first = last + 1;
    }
    return text + "]";
}

// Names with the same texts: rows of `width` cells, flat.
class Shape {
  public:
    explicit Shape(std::size_t width) : width_(width) {}

    void add(std::span<const Cell> row) { cells_.insert(cells_.end(), row.begin(), row.end()); }

    // `key` holds the texts, each ended by a zero byte. Ranges are separated by commas.
    void write(std::string_view key, std::string& text) {
        NumberedTexts brackets;
        for (std::size_t position = width_; position-- > 0;)
            fold(position, brackets);
        const std::size_t rows = width_ == 0 ? 1 : cells_.size() / width_;
        for (std::size_t row = 0; row < rows; ++row) {
            if (!text.empty()) text += ',';
            spell_row(key, row, brackets, text);
        }
    }

  private:
    [[nodiscard]] std::span<const Cell> row(std::size_t index) const {
        return std::span(cells_).subspan(index * width_, width_);
    }

    // Row numbers, sorted by all other positions and then by this one.
    [[nodiscard]] std::vector<std::size_t> sorted_by_others(std::size_t position) const {
        std::vector<std::size_t> order(cells_.size() / width_);
        for (std::size_t i = 0; i < order.size(); ++i)
            order[i] = i;
        const auto before = [&](std::size_t left, std::size_t right) {
            const auto a = row(left), b = row(right);
            for (std::size_t i = 0; i < width_; ++i)
                if (i != position && a[i] != b[i]) return a[i] < b[i];
            return a[position] < b[position];
        };
        if (std::ranges::is_sorted(order, before)) return order;
        std::vector<std::pair<std::uint64_t, std::size_t>> keys = packed(position);
        if (keys.empty()) {
            std::ranges::sort(order, before);
            return order;
        }
        std::ranges::sort(keys);
        for (std::size_t i = 0; i < order.size(); ++i)
            order[i] = keys[i].second;
        return order;
    }

    // Each row as one number that sorts as sorted_by_others() does, and its row number; nothing if the rows
    // do not fit. Comparing these is several times as fast as comparing rows.
    [[nodiscard]] std::vector<std::pair<std::uint64_t, std::size_t>> packed(std::size_t position) const {
        std::vector<std::pair<std::uint64_t, std::size_t>> keys(cells_.size() / width_);
        std::size_t bits_left = 64;
        for (std::size_t i = 0; i <= width_; ++i) {
            if (i == position) continue;
            const std::size_t at = i == width_ ? position : i;
            std::uint64_t highest = 0;
            std::size_t shortest = most_digits, longest = 0;
            for (std::size_t cell = at; cell < cells_.size(); cell += width_) {
                highest = std::max(highest, value_of(cells_[cell]));
                shortest = std::min(shortest, length_of(cells_[cell]));
                longest = std::max(longest, length_of(cells_[cell]));
            }
            const std::size_t value_bits = std::bit_width(highest);
            const std::size_t bits = std::bit_width(longest - shortest) + value_bits;
            if (bits > bits_left) return {};
            bits_left -= bits;
            for (std::size_t row = 0; row < keys.size(); ++row) {
                const Cell cell = cells_[row * width_ + at];
                std::uint64_t& key = keys[row].first;
                key = bits == 64 ? 0 : key << bits;
                key |= std::uint64_t{length_of(cell) - shortest} << value_bits | value_of(cell);
                keys[row].second = row;
            }
        }
        return keys;
    }

    [[nodiscard]] bool agree_elsewhere(std::size_t left, std::size_t right, std::size_t position) const {
        const auto a = row(left), b = row(right);
        for (std::size_t i = 0; i < width_; ++i)
            if (i != position && a[i] != b[i]) return false;
        return true;
    }

    void fold(std::size_t position, NumberedTexts& brackets) {
        const std::vector<std::size_t> order = sorted_by_others(position);
        std::vector<Cell> folded, bracket;
        for (std::size_t first = 0; first < order.size();) {
            std::size_t last = first;
            bracket.clear();
            for (; last < order.size() && agree_elsewhere(order[first], order[last], position); ++last) {
                const Cell cell = row(order[last])[position];
                if (bracket.empty() || bracket.back() != cell) bracket.push_back(cell);
            }
            const auto same = row(order[first]);
            folded.insert(folded.end(), same.begin(), same.end());
            folded[folded.size() - width_ + position] = brackets.number_of(spell_bracket(bracket));
            first = last;
        }
        cells_ = std::move(folded);
    }

    void spell_row(std::string_view key, std::size_t index, const NumberedTexts& brackets,
                   std::string& text) const {
        for (std::size_t i = 0; i <= width_; ++i) {
            const std::size_t end = key.find('\0');
            text += key.substr(0, end);
            key.remove_prefix(end + 1);
            if (i < width_) text += brackets.text_of(row(index)[i]);
        }
    }

    std::size_t width_;
    std::vector<Cell> cells_;
};

// Cuts a name into `key` (texts, each ended by a zero byte) and `row` (numbers).
void cut(std::string_view name, std::string& key, std::vector<Cell>& row) {
    key.clear();
    row.clear();
    for (std::size_t at = 0; at < name.size();) {
        std::size_t end = at;
        if (!is_digit(name[at])) {
            while (end < name.size() && !is_digit(name[end]))
                ++end;
            key.append(name, at, end - at);
            at = end;
            continue;
        }
        std::uint64_t value = 0;
        while (end < name.size() && is_digit(name[end]) && end - at <= most_digits)
            value = value * 10 + static_cast<std::uint64_t>(name[end++] - '0');
        if (end - at > most_digits || row.size() == most_numbers) {
            while (at < name.size() && is_digit(name[at]))
                key += name[at++];
            continue;
        }
        row.push_back(make_cell(value, end - at));
        key += '\0';
        at = end;
    }
    key += '\0';
}

}  // namespace

std::string fold_hosts(std::span<const std::string> names) {
    NumberedTexts keys;
    std::vector<Shape> shapes;  // of each key
    std::string key, latest_key;
    std::vector<Cell> row;
    std::size_t latest = 0;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (i + names_ahead < names.size()) __builtin_prefetch(names[i + names_ahead].data());
        cut(names[i], key, row);
        if (key != latest_key) {
            latest = keys.number_of(key);
            if (latest == shapes.size()) shapes.emplace_back(row.size());
            latest_key.swap(key);
        }
        shapes[latest].add(row);
    }
    std::string text;
    for (std::size_t number = 0; number < shapes.size(); ++number)
        shapes[number].write(keys.text_of(number), text);
    return text;
}

}  // namespace trellis
