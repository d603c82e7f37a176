// CommandScanner: reads words, quotations and comments of the command language from one line. Pure; owned by
// the parser of command lines, which knows how words make statements.
#pragma once

#include "trellis/result.hpp"

#include "shell/language/command_line.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace trellis {

class CommandScanner {
  public:
    explicit CommandScanner(std::string_view line) : line_(line) {}

    [[nodiscard]] std::size_t at() const { return at_; }
    [[nodiscard]] bool at_end() const { return at_ >= line_.size(); }
    [[nodiscard]] char peek() const { return at_end() ? '\0' : line_[at_]; }
    [[nodiscard]] std::string_view rest() const { return line_.substr(at_end() ? line_.size() : at_); }
    [[nodiscard]] std::string_view line() const { return line_; }
    // What ends a word if it is not quoted.
    [[nodiscard]] bool at_word_end() const;
    // ; & && || or the end of a line
    [[nodiscard]] bool at_separator() const;
    // A # that begins a comment here.
    [[nodiscard]] bool at_comment() const;

    bool accept(std::string_view text);
    // Blanks, joined lines and comments.
    void skip_blanks();
    // Passes the rest of this line, e.g. a comment.
    std::string_view skip_line();
    // Passes one character as sh reads it, or all of a quotation or parenthesis; false if it does not end.
    bool skip_unit();
    // The word that begins here goes to word(); false if a quotation or parenthesis in it does not end.
    bool take_word();
    // An empty word that begins here.
    void start_word();
    [[nodiscard]] Word& word() { return word_; }
    [[nodiscard]] const Word& word() const { return word_; }

    // The first failure stays.
    void fail(std::size_t offset, const std::string& what);
    [[nodiscard]] const std::optional<Failure>& failure() const { return failure_; }
    // The failure is that the line ends too early.
    [[nodiscard]] bool incomplete() const { return incomplete_; }
    [[nodiscard]] char open_quote() const { return open_quote_; }

  private:
    bool take_unit();
    bool take_escaped(std::string* text);
    bool take_quoted(char quote, std::string* text);
    bool take_backquoted();
    bool take_parenthesis();
    [[nodiscard]] bool at_escape(char quote) const;
    bool want_more(const std::string& what);
    bool want_closing(char sign, std::size_t opened);

    std::string_view line_;
    std::size_t at_ = 0;
    Word word_;
    std::optional<Failure> failure_;
    bool incomplete_ = false;
    char open_quote_ = 0;
};

}  // namespace trellis
