// Writing host ranges. A name is cut into texts and numbers. Names with the same texts are folded one number
// after the other, from the last to the first: those that agree in all other numbers become one bracket.
#include "agentd/model/host_range.hpp"
#include "agentd/model/host_range_digits.hpp"

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>

namespace trellis {
namespace {

constexpr std::size_t most_numbers = 16;  // of one name; later ones are taken as text

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

    // `key` holds the texts, each ended by a zero byte.
    void write(std::string_view key, std::vector<std::string>& ranges) {
        for (std::size_t position = width_; position-- > 0;)
            fold(position);
        const std::size_t rows = width_ == 0 ? 1 : cells_.size() / width_;
        for (std::size_t row = 0; row < rows; ++row)
            ranges.push_back(spell_row(key, row));
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
        if (!std::ranges::is_sorted(order, before)) std::ranges::sort(order, before);
        return order;
    }

    [[nodiscard]] bool agree_elsewhere(std::size_t left, std::size_t right, std::size_t position) const {
        const auto a = row(left), b = row(right);
        for (std::size_t i = 0; i < width_; ++i)
            if (i != position && a[i] != b[i]) return false;
        return true;
    }

    void fold(std::size_t position) {
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
            folded[folded.size() - width_ + position] = intern(spell_bracket(bracket));
            first = last;
        }
        cells_ = std::move(folded);
    }

    Cell intern(std::string text) {
        const auto [entry, added] = number_.try_emplace(std::move(text), spelled_.size());
        if (added) spelled_.push_back(&entry->first);
        return entry->second;
    }

    [[nodiscard]] std::string spell_row(std::string_view key, std::size_t index) const {
        std::string text;
        for (std::size_t i = 0; i <= width_; ++i) {
            const std::size_t end = key.find('\0');
            text += key.substr(0, end);
            key.remove_prefix(end + 1);
            if (i < width_) text += *spelled_[row(index)[i]];
        }
        return text;
    }

    std::size_t width_;
    std::vector<Cell> cells_;
    std::unordered_map<std::string, Cell> number_;
    std::vector<const std::string*> spelled_;  // keys of number_, by their number
};

// Cuts a name into `key` (texts, each ended by a zero byte) and `row` (numbers).
void cut(std::string_view name, std::string& key, std::vector<Cell>& row) {
    key.clear();
    row.clear();
    for (std::size_t at = 0; at < name.size();) {
        std::size_t end = at;
        std::uint64_t value = 0;
        while (end < name.size() && is_digit(name[end]) && end - at <= most_digits)
            value = value * 10 + static_cast<std::uint64_t>(name[end++] - '0');
        if (end == at || end - at > most_digits || row.size() == most_numbers) {
            do
                key += name[at++];
            while (at < name.size() && is_digit(name[at - 1]) && is_digit(name[at]));
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
    std::unordered_map<std::string, std::size_t> index_of;
    std::vector<std::pair<const std::string*, Shape>> shapes;  // in order of first appearance
    std::string key;
    std::vector<Cell> row;
    std::size_t latest = 0;
    for (const std::string& name : names) {
        cut(name, key, row);
        if (shapes.empty() || *shapes[latest].first != key) {
            const auto [entry, added] = index_of.try_emplace(key, shapes.size());
            if (added) shapes.emplace_back(&entry->first, Shape(row.size()));
            latest = entry->second;
        }
        shapes[latest].second.add(row);
    }
    std::vector<std::string> ranges;
    for (auto& [texts, shape] : shapes)
        shape.write(*texts, ranges);
    std::string text;
    for (const std::string& range : ranges)
        text += (text.empty() ? "" : ",") + range;
    return text;
}

}  // namespace trellis
