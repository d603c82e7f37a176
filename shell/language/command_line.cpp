#include "shell/language/command_line.hpp"

#include "shell/language/command_scanner.hpp"

#include <algorithm>
#include <utility>

namespace trellis {
namespace {

class Parser {
  public:
    explicit Parser(std::string_view line) : scan_(line) {}

    Result<std::vector<Statement>> parse() {
        while (!failed() && !scan_.at_end())
            parse_statement();
        if (!failed() && connector_ != Connector::always)
            scan_.fail(scan_.at(), "expected a command after " + operator_);
        if (failed()) return *scan_.failure();
        return std::move(statements_);
    }

    [[nodiscard]] const CommandScanner& scanner() const { return scan_; }
    [[nodiscard]] bool in_local_text() const { return in_local_text_; }
    [[nodiscard]] bool wants_file() const { return wants_file_; }
    // What had been read of the statement at which parsing ended.
    [[nodiscard]] const Statement& last() const { return statement_; }

  private:
    [[nodiscard]] bool failed() const { return scan_.failure().has_value(); }

    void parse_statement() {
        statement_ = Statement{};
        statement_.connector = connector_;
        in_local_text_ = wants_file_ = false;
        scan_.skip_blanks();
        statement_.begin = scan_.at();
        if (scan_.peek() == '!') return parse_local();
        while (!failed() && parse_part()) {
        }
        if (!failed()) end_statement();
    }

    void parse_local() {
        in_local_text_ = true;
        scan_.accept("!");
        const std::size_t begin = scan_.at();
        statement_.local = std::string(scan_.skip_line());
        if (statement_.local.find_first_not_of(" \t\r") == std::string::npos)
            return scan_.fail(begin, "expected a local command after !");
        statement_.end = scan_.at();
        push_statement();
    }

    // One word, redirection or pipe; false at the end of the statement.
    bool parse_part() {
        scan_.skip_blanks();
        if (scan_.at_end() || scan_.at_separator()) return false;
        const char c = scan_.peek();
        if (c == '<' || c == '>' || scan_.rest().starts_with("2>"))
            parse_redirection();
        else if (c == '|')
            parse_pipe();
        else
            parse_command_word();
        statement_.end = scan_.at();
        return !failed();
    }

    void parse_command_word() {
        if (!scan_.take_word()) return;
        if (!statement_.redirections.empty())
            return scan_.fail(scan_.word().begin,
                              "expected |, ; or the end of the line: redirections come last");
        statement_.words.push_back(scan_.word());
    }

    void parse_redirection() {
        const std::size_t begin = scan_.at();
        if (statement_.words.empty()) return scan_.fail(begin, "expected a command before the redirection");
        using Kind = Redirection::Kind;
        if (scan_.accept("<")) return parse_file(Kind::in, "<");
        const bool err = scan_.accept("2");
        scan_.accept(">");
        const bool append = scan_.accept(">");
        if (scan_.accept("&1")) {
            if (!err || append) return scan_.fail(begin, "expected 2>&1 or a file name");
            statement_.redirections.push_back({Kind::err_to_out, ""});
            return;
        }
        const Kind out = append ? Kind::append_out : Kind::out;
        const Kind to_err = append ? Kind::append_err : Kind::err;
        parse_file(err ? to_err : out, std::string(scan_.line().substr(begin, scan_.at() - begin)));
    }

    void parse_file(Redirection::Kind kind, const std::string& sign) {
        wants_file_ = true;
        scan_.skip_blanks();
        scan_.start_word();
        const std::size_t begin = scan_.at();
        const bool missing = scan_.at_end() || scan_.at_word_end();
        if (!missing && !scan_.take_word()) return;
        if (scan_.word().text.empty()) return scan_.fail(begin, "expected a file name after " + sign);
        statement_.redirections.push_back({kind, scan_.word().text});
        wants_file_ = false;
    }

    void parse_pipe() {
        if (statement_.words.empty()) return scan_.fail(scan_.at(), "expected a command before |");
        in_local_text_ = true;
        scan_.accept("|");
        const std::size_t begin = scan_.at();
        std::size_t end = begin;
        bool after_arrow = false;  // the & of 2>&1 separates nothing
        while (!scan_.at_end() && (!scan_.at_separator() || (after_arrow && scan_.peek() == '&'))) {
            const bool text = std::string_view(" \t\r\n").find(scan_.peek()) == std::string_view::npos;
            after_arrow = scan_.peek() == '>' || scan_.peek() == '<';
            if (scan_.at_comment())
                scan_.skip_line();
            else if (!scan_.skip_unit())
                return;
            else if (text)
                end = scan_.at();
        }
        statement_.pipe = std::string(scan_.line().substr(begin, end - begin));
        if (end == begin) scan_.fail(begin, "expected a local program after |");
    }

    void end_statement() {
        const std::size_t where = scan_.at();
        const std::string before = operator_;
        const Connector next = read_operator();
        if (!statement_.words.empty()) {
            statement_.background = operator_ == "&";
            push_statement();
            connector_ = next;
        } else if (connector_ != Connector::always) {
            scan_.fail(where, "expected a command after " + before);
        } else if (next != Connector::always || operator_ == "&") {
            scan_.fail(where, "expected a command before " + operator_);
        }
    }

    void push_statement() {
        statement_.source = std::string(scan_.line());
        statements_.push_back(std::move(statement_));
        statement_ = Statement{};
        connector_ = Connector::always;
    }

    Connector read_operator() {
        for (const char* sign : {"&&", "||", "&", ";", "\n", ""}) {
            operator_ = sign;
            if (scan_.accept(sign)) break;
        }
        if (operator_ == "&&") return Connector::if_succeeded;
        return operator_ == "||" ? Connector::if_failed : Connector::always;
    }

    CommandScanner scan_;
    Connector connector_ = Connector::always;
    std::string operator_;
    std::vector<Statement> statements_;
    Statement statement_;
    bool in_local_text_ = false, wants_file_ = false;
};

}  // namespace

std::string Statement::raw_from(std::size_t first) const {
    return raw_between(first, words.size());
}

std::string Statement::raw_between(std::size_t first, std::size_t past) const {
    if (first >= past) return "";
    if (first + 1 == past && words[first].quoted_whole) return words[first].text;
    return source.substr(words[first].begin, words[past - 1].end - words[first].begin);
}

bool Statement::redirects_input() const {
    return std::any_of(redirections.begin(), redirections.end(), [](const Redirection& redirection) {
        return redirection.kind == Redirection::Kind::in;
    });
}

Result<std::vector<Statement>> parse_command_line(std::string_view line) {
    return Parser(line).parse();
}

std::vector<std::vector<Statement>> and_or_lists(std::vector<Statement> statements) {
    std::vector<std::vector<Statement>> lists;
    for (Statement& statement : statements) {
        if (statement.connector == Connector::always) lists.emplace_back();
        lists.back().push_back(std::move(statement));
    }
    return lists;
}

bool needs_another_line(std::string_view line) {
    Parser parser(line);
    return !parser.parse() && parser.scanner().incomplete();
}

Unfinished unfinished_statement(std::string_view line) {
    // A mark at the end makes the last word, be it empty, part of a last statement that does not end.
    const std::string marked = std::string(line) + '\1';
    Parser parser(marked);
    Result<std::vector<Statement>> parsed = parser.parse();
    const Word& last_word = parser.scanner().word();
    Unfinished result;
    result.local = parser.in_local_text();
    result.file = parser.wants_file();
    result.quote = parser.scanner().open_quote();
    result.last_begin = last_word.begin;
    const bool whole = parsed.has_value() && !parsed->empty();
    const Statement& last = whole ? parsed->back() : parser.last();
    for (const Word& word : last.words)
        result.words.push_back(word.text);
    if (!whole)
        result.words.push_back(last_word.text);
    else if ((result.file = !last.redirections.empty()))
        result.words.push_back(last.redirections.back().file);
    for (std::string& word : result.words)
        std::erase(word, '\1');
    return result;
}

}  // namespace trellis
