// Reading host ranges.
#include "agentd/model/host_range.hpp"

#include "agentd/model/host_range_digits.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

namespace trellis {
namespace {

constexpr std::size_t most_brackets = 16;  // of one range
constexpr std::size_t longest_name = 255;

struct Interval {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    std::size_t width = 0;  // pad with zeros to this many digits
    [[nodiscard]] std::uint64_t size() const { return last - first + 1; }
};

using Bracket = std::vector<Interval>;

// A range: text, bracket, text, bracket, ... text.
struct Pattern {
    std::vector<std::string> texts{""};
    std::vector<Bracket> brackets;
};

struct Refused {
    std::size_t column;
    std::string cause;
};

bool is_gap(char c) {
    return c == ',' || c == ' ' || c == '\t' || c == '\n' || c == '\r';
}
bool is_name(char c) {
    return static_cast<unsigned char>(c) > ' ' && c != 0x7f && c != '[' && c != ']' && c != ',' && c != ';';
}

class RangeReader {
  public:
    explicit RangeReader(std::string_view text) : text_(text) {}

    // The next range, or nothing at the end.
    std::optional<Pattern> next() {
        while (!at_end() && is_gap(peek()))
            ++at_;
        if (at_end()) return std::nullopt;
        const std::size_t start = at_;
        Pattern pattern;
        while (!at_end() && !is_gap(peek()))
            read_part(pattern);
        std::size_t length = 0;
        for (const std::string& text : pattern.texts)
            length += text.size();
        if (length > longest_name)
            refuse(start, "a host name has at most " + std::to_string(longest_name) + " characters");
        return pattern;
    }

  private:
    [[nodiscard]] bool at_end() const { return at_ == text_.size(); }
    [[nodiscard]] char peek() const { return text_[at_]; }
    [[nodiscard]] bool sees(std::string_view token) const { return text_.substr(at_, token.size()) == token; }

    [[noreturn]] void refuse(std::size_t at, std::string cause) const {
        throw Refused{at + 1, std::move(cause)};
    }
    [[noreturn]] void expected(std::string what) const {
        refuse(at_, "expected " + std::move(what) + ", found " +
                        (at_end() ? std::string("the end") : "'" + std::string(1, peek()) + "'"));
    }

    void read_part(Pattern& pattern) {
        if (peek() == '[') {
            if (pattern.brackets.size() == most_brackets)
                refuse(at_, "a range has at most " + std::to_string(most_brackets) + " brackets");
            pattern.brackets.push_back(read_bracket());
            pattern.texts.emplace_back();
        } else if (is_name(peek())) {
            pattern.texts.back() += peek();
            ++at_;
        } else {
            refuse(at_, static_cast<unsigned char>(peek()) < ' ' || peek() == 0x7f
                            ? "a control character is no part of a host name"
                            : "'" + std::string(1, peek()) + "' without a '[' before it");
        }
    }

    Bracket read_bracket() {
        const std::size_t opened = at_;
        const std::string_view close = sees("[[") ? "]]" : "]";
        at_ += close.size();
        Bracket bracket{read_interval()};
        while (!sees(close)) {
            if (at_end()) refuse(opened, "this '[' is never closed by '" + std::string(close) + "'");
            if (peek() != ',' && peek() != ';') expected("',', '-' or '" + std::string(close) + "'");
            ++at_;
            bracket.push_back(read_interval());
        }
        at_ += close.size();
        return bracket;
    }

    Interval read_interval() {
        const std::size_t start = at_;
        const std::string_view from = read_number();
        if (at_end() || peek() != '-') return make_interval(start, from, from);
        ++at_;
        return make_interval(start, from, read_number());
    }

    std::string_view read_number() {
        const std::size_t start = at_;
        while (!at_end() && is_digit(peek()))
            ++at_;
        if (at_ == start) expected("a number");
        if (at_ - start > most_digits)
            refuse(start, "a number has at most " + std::to_string(most_digits) + " digits");
        return text_.substr(start, at_ - start);
    }

    Interval make_interval(std::size_t at, std::string_view from, std::string_view to) const {
        Interval interval{std::stoull(std::string(from)), std::stoull(std::string(to)), 0};
        if (from.size() > 1 && from.front() == '0') interval.width = from.size();
        const std::string spelled = std::string(from) + "-" + std::string(to);
        if (interval.last < interval.first) refuse(at, "the range " + spelled + " runs backwards");
        if (from.size() != to.size() && (interval.width > to.size() || to.front() == '0'))
            refuse(at, "both ends of " + spelled + " need the same number of digits");
        return interval;
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

std::uint64_t count_bounded(const Pattern& pattern, std::uint64_t most) {
    std::uint64_t product = 1;
    for (const Bracket& bracket : pattern.brackets) {
        std::uint64_t sum = 0;
        for (const Interval& interval : bracket)
            sum = std::min(most + 1, sum + interval.size());
        product = std::min(most + 1, product * sum);  // both below 2^32 for any sensible cap
    }
    return product;
}

std::string spell(std::uint64_t number, std::size_t width) {
    std::string digits = std::to_string(number);
    return digits.size() < width ? std::string(width - digits.size(), '0') + digits : digits;
}

void expand(const Pattern& pattern, std::size_t bracket, const std::string& prefix,
            std::vector<std::string>& names) {
    const std::string start = prefix + pattern.texts[bracket];
    if (bracket == pattern.brackets.size()) {
        names.push_back(start);
        return;
    }
    for (const Interval& interval : pattern.brackets[bracket])
        for (std::uint64_t number = interval.first; number <= interval.last; ++number)
            expand(pattern, bracket + 1, start + spell(number, interval.width), names);
}

}  // namespace

Result<std::vector<std::string>> expand_hosts(std::string_view text, std::size_t most) {
    const auto failure = [&](std::string cause) {
        return Failure{FailureKind::invalid, "host range '" + std::string(text.substr(0, 80)) + "'", "",
                       std::move(cause)};
    };
    try {
        RangeReader reader(text);
        std::vector<std::string> names;
        while (const auto pattern = reader.next()) {
            if (count_bounded(*pattern, most) > most - names.size())
                return failure("gives more than " + std::to_string(most) + " hosts");
            expand(*pattern, 0, "", names);
        }
        if (names.empty()) return failure("column 1: expected a host name, found nothing");
        return names;
    } catch (const Refused& refused) {
        return failure("column " + std::to_string(refused.column) + ": " + refused.cause);
    }
}

}  // namespace trellis
