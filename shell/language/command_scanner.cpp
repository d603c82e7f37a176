#include "shell/language/command_scanner.hpp"

#include <algorithm>
#include <vector>

namespace trellis {
namespace {

bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

std::string at_column(std::size_t offset) {
    return "column " + std::to_string(offset + 1);
}

// Length of GXP's bracket [[00-15;20]] at the start of the text; 0 if there is none.
std::size_t double_bracket(std::string_view text) {
    if (!text.starts_with("[[")) return 0;
    const std::size_t end = text.find_first_not_of("0123456789-,;", 2);
    if (end == std::string_view::npos || text.substr(end, 2) != "]]") return 0;
    return end + 2;
}

}  // namespace

bool CommandScanner::at_word_end() const {
    return is_blank(peek()) ||
           (!at_end() && std::string_view("\n;|&<>").find(peek()) != std::string_view::npos);
}

bool CommandScanner::at_separator() const {
    return peek() == ';' || peek() == '&' || peek() == '\n' || rest().starts_with("||");
}

bool CommandScanner::at_comment() const {
    return peek() == '#' && (at_ == 0 || is_blank(line_[at_ - 1]) ||
                             std::string_view(";&\n").find(line_[at_ - 1]) != std::string_view::npos);
}

bool CommandScanner::accept(std::string_view text) {
    if (!rest().starts_with(text)) return false;
    at_ += text.size();
    return true;
}

void CommandScanner::skip_blanks() {
    while (!at_end()) {
        if (accept("\\\n")) continue;
        if (at_comment()) {
            skip_line();
        } else if (is_blank(peek())) {
            ++at_;
        } else {
            return;
        }
    }
}

std::string_view CommandScanner::skip_line() {
    const std::string_view passed = rest().substr(0, rest().find('\n'));
    at_ += passed.size();
    return passed;
}

bool CommandScanner::skip_unit() {
    const char c = peek();
    if (c == '\'' || c == '"') return take_quoted(c, nullptr);
    if (c == '`') return take_backquoted();
    if (c == '(') return take_parenthesis();
    if (c == '\\') return take_escaped(nullptr);
    ++at_;
    return true;
}

void CommandScanner::start_word() {
    word_ = Word{};
    word_.begin = word_.end = at_;
}

bool CommandScanner::take_word() {
    start_word();
    int units = 0;
    const char first = peek();
    while (!at_end() && !at_word_end()) {
        if (!take_unit()) return false;
        ++units;
    }
    word_.end = at_;
    word_.quoted_whole = units == 1 && (first == '\'' || first == '"');
    return true;
}

// One character of a word, or all of a quotation, parenthesis or bracket.
bool CommandScanner::take_unit() {
    const char c = peek();
    if (c == '\'' || c == '"') return take_quoted(c, &word_.text);
    if (c == '\\') return take_escaped(&word_.text);
    const std::size_t begin = at_;
    bool whole = true;
    if (c == '`') {
        whole = take_backquoted();
    } else if (c == '(') {
        whole = take_parenthesis();
    } else {
        at_ += std::max<std::size_t>(double_bracket(rest()), 1);
    }
    word_.text += line_.substr(begin, at_ - begin);
    return whole;
}

bool CommandScanner::take_escaped(std::string* text) {
    if (at_ + 1 >= line_.size()) return want_more("expected a character after the backslash");
    const char c = line_[at_ + 1];
    if (text && c != '\n') *text += c;
    at_ += 2;
    return true;
}

// As in sh: nothing is special within '...'; within "..." a backslash counts before these.
bool CommandScanner::at_escape(char quote) const {
    return quote == '"' && peek() == '\\' && at_ + 1 < line_.size() &&
           std::string_view("$`\"\\\n").find(line_[at_ + 1]) != std::string_view::npos;
}

bool CommandScanner::take_quoted(char quote, std::string* text) {
    const std::size_t opened = at_++;
    for (; !at_end() && peek() != quote; ++at_) {
        const bool escaped = at_escape(quote);
        if (escaped) ++at_;
        if (text && !(escaped && peek() == '\n')) *text += peek();
    }
    if (at_end()) {
        open_quote_ = quote;
        return want_closing(quote, opened);
    }
    ++at_;
    return true;
}

bool CommandScanner::take_backquoted() {
    const std::size_t opened = at_++;
    while (!at_end() && peek() != '`')
        at_ += peek() == '\\' ? 2 : 1;
    if (at_end()) return want_closing('`', opened);
    ++at_;
    return true;
}

bool CommandScanner::take_parenthesis() {
    std::vector<std::size_t> open;
    do {
        const char c = peek();
        if (c == '(') open.push_back(at_);
        if (c == ')') open.pop_back();
        if (c == '(' || c == ')')
            ++at_;
        else if (!skip_unit())
            return false;
    } while (!open.empty() && !at_end());
    return open.empty() || want_closing(')', open.back());
}

void CommandScanner::fail(std::size_t offset, const std::string& what) {
    if (!failure_) failure_ = invalid(at_column(offset) + ": " + what);
}

bool CommandScanner::want_more(const std::string& what) {
    fail(line_.size(), what);
    incomplete_ = true;
    at_ = line_.size();
    return false;
}

bool CommandScanner::want_closing(char sign, std::size_t opened) {
    std::string what = "expected ";
    what.push_back(sign);
    return want_more(what + " to close the " + line_[opened] + " at " + at_column(opened));
}

}  // namespace trellis
