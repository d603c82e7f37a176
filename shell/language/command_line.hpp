// The command language: one line of text in, statements out. Pure and total: any bytes give statements or a
// Failure that says what was expected and at which column (from 1). It knows no command, expands nothing and
// runs nothing.
//
//   line      = [ statement ] { ( ";" | "&" | "&&" | "||" | newline ) [ statement ] }
//   statement = "!" anything to the end of the line, for the local /bin/sh
//             | word { word } { redirection } [ "|" text for the local /bin/sh ]
//   redirection = ( "<" | ">" | ">>" | "2>" | "2>>" ) file  |  "2>&1"
//
// Words are quoted as in sh: '...', "...", backslash. Parentheses and `...` keep what is inside together, and
// so does GXP's [[00-15;20]]. A # at the start of a word begins a comment. The text after | reaches to the
// next ; & && || or newline outside quotes and parentheses. A & sends the list of statements before it,
// joined by && and ||, to the background.
#pragma once

#include "trellis/result.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace trellis {

struct Word {
    std::string text;           // quotes removed
    std::size_t begin = 0;      // where it stands in Statement::source
    std::size_t end = 0;        // one past its last character
    bool quoted_whole = false;  // one pair of quotes around all of it
};

struct Redirection {
    enum class Kind { in, out, append_out, err, append_err, err_to_out };
    Kind kind = Kind::out;
    std::string file;  // empty with err_to_out
};

// When a statement runs, given the status of the one before.
enum class Connector { always, if_succeeded, if_failed };

struct Statement {
    Connector connector = Connector::always;
    std::vector<Word> words;                // the first is the command's name; empty with `local`
    std::vector<Redirection> redirections;  // in the order written
    std::string pipe;                       // for the local /bin/sh; empty: none
    std::string local;                      // what follows "!"; words are empty then
    std::string source;                     // the whole line
    std::size_t begin = 0;                  // where the statement stands in it
    std::size_t end = 0;
    bool background = false;  // an & follows: this one and those joined to it run in the background

    // The words from `first` on as they were written, quotes kept; one word in quotes loses them. This is
    // what a remote shell is to read. Empty if there are none.
    [[nodiscard]] std::string raw_from(std::size_t first) const;
    // The same for the words before `end`.
    [[nodiscard]] std::string raw_between(std::size_t first, std::size_t past) const;
    [[nodiscard]] bool redirects_input() const;
};

[[nodiscard]] Result<std::vector<Statement>> parse_command_line(std::string_view line);

// The statements in lists: in each but the first statement are joined to the one before by && or ||.
[[nodiscard]] std::vector<std::vector<Statement>> and_or_lists(std::vector<Statement> statements);

// True if the line ends inside quotes or parentheses, or in a backslash: with another line it may be right.
[[nodiscard]] bool needs_another_line(std::string_view line);

// The words of an unfinished line up to its end, as completion needs them: of the last statement only, the
// last word possibly empty. `local` if the cursor stands in text for the local shell.
struct Unfinished {
    std::vector<std::string> words;
    std::size_t last_begin = 0;  // where the last word stands in the line
    char quote = 0;              // the quote that is open in the last word
    bool local = false;
    bool file = false;  // the last word is the file of a redirection
};
[[nodiscard]] Unfinished unfinished_statement(std::string_view line);

}  // namespace trellis
