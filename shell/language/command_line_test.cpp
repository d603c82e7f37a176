#include "shell/language/command_line.hpp"

#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trellis {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<Statement> parsed(std::string_view line) {
    Result<std::vector<Statement>> result = parse_command_line(line);
    EXPECT_TRUE(result.has_value()) << line << ": " << (result ? "" : result.error().message());
    return result ? std::move(*result) : std::vector<Statement>{};
}

std::vector<std::string> texts(const Statement& statement) {
    std::vector<std::string> words;
    for (const Word& word : statement.words)
        words.push_back(word.text);
    return words;
}

std::vector<std::string> words_of(std::string_view line) {
    const auto statements = parsed(line);
    return statements.size() == 1 ? texts(statements[0]) : std::vector<std::string>{"not one statement"};
}

std::string line_refusal(std::string_view line) {
    const auto result = parse_command_line(line);
    return result ? "accepted" : result.error().message();
}

TEST(CommandLine, SplitsWordsAtBlanks) {
    EXPECT_THAT(words_of("  explore a[00-15]\tb[00-15] "), ElementsAre("explore", "a[00-15]", "b[00-15]"));
}

TEST(CommandLine, IsEmptyForBlanksAndComments) {
    EXPECT_THAT(parsed(""), IsEmpty());
    EXPECT_THAT(parsed(" \t "), IsEmpty());
    EXPECT_THAT(parsed("# e hostname; 'open"), IsEmpty());
    EXPECT_THAT(parsed(";;"), IsEmpty());
}

TEST(CommandLine, QuotesAsSh) {
    EXPECT_THAT(words_of(R"(save 'a b' "c d" e\ f)"), ElementsAre("save", "a b", "c d", "e f"));
    EXPECT_THAT(words_of(R"(e "a\"b\\c\n" 'd\')"), ElementsAre("e", R"(a"b\c\n)", R"(d\)"));
    EXPECT_THAT(words_of(R"(save a'b'"c"d '')"), ElementsAre("save", "abcd", ""));
}

TEST(CommandLine, BeginsCommentsAtWordsOnly) {
    EXPECT_THAT(words_of("e echo a#b # c"), ElementsAre("e", "echo", "a#b"));
    EXPECT_EQ(parsed("hosts;# c").size(), 1U);
}

TEST(CommandLine, SeparatesStatements) {
    const auto statements = parsed("explore a; e hostname && e date || hosts;");
    ASSERT_EQ(statements.size(), 4U);
    EXPECT_EQ(statements[1].connector, Connector::always);
    EXPECT_EQ(statements[2].connector, Connector::if_succeeded);
    EXPECT_EQ(statements[3].connector, Connector::if_failed);
    EXPECT_THAT(texts(statements[3]), ElementsAre("hosts"));
}

TEST(CommandLine, KeepsGxpRangesWhole) {
    EXPECT_THAT(words_of("explore a[[00-15;20]] b[[1;2]]"),
                ElementsAre("explore", "a[[00-15;20]]", "b[[1;2]]"));
    EXPECT_EQ(parsed("e if [[ -f x ]]; hosts").size(), 2U);
}

TEST(CommandLine, GivesRawTextToTheHosts) {
    const auto raw = [](std::string_view line, std::size_t first) {
        return parsed(line).at(0).raw_from(first);
    };
    EXPECT_EQ(raw("e echo 'a  b'  \"$HOME\"", 1), "echo 'a  b'  \"$HOME\"");
    EXPECT_EQ(raw("e 'ls | wc'", 1), "ls | wc");
    EXPECT_EQ(raw("e \"ls | wc\"", 1), "ls | wc");
    EXPECT_EQ(raw("e 'ls' -l", 1), "'ls' -l");
    EXPECT_EQ(raw("e --timeout 3s ls # all", 3), "ls");
    EXPECT_EQ(raw("e ls | wc", 1), "ls");
    EXPECT_EQ(raw("e ls > f", 1), "ls");
    EXPECT_EQ(raw("e 'a''b'", 1), "'a''b'");
    EXPECT_EQ(raw("e", 1), "");
}

TEST(CommandLine, KeepsParenthesesAndSubstitutionsTogether) {
    EXPECT_EQ(parsed("e echo $(ls | wc -l; date) `ls; ls`").at(0).raw_from(1),
              "echo $(ls | wc -l; date) `ls; ls`");
    EXPECT_EQ(parsed("e (cd /tmp && ls)").at(0).raw_from(1), "(cd /tmp && ls)");
    EXPECT_THAT(words_of("smask /a(1|2)$/"), ElementsAre("smask", "/a(1|2)$/"));
    EXPECT_EQ(parsed("e echo $(echo ')' \\) \"(\")").at(0).raw_from(1), "echo $(echo ')' \\) \"(\")");
}

TEST(CommandLine, GivesPipesToTheLocalShell) {
    const auto statements = parsed("e hostname | sort | awk '{print $1; }' > f; hosts");
    ASSERT_EQ(statements.size(), 2U);
    EXPECT_EQ(statements[0].pipe, " sort | awk '{print $1; }' > f");
    EXPECT_EQ(parsed("infer --json | jq .links[0]").at(0).pipe, " jq .links[0]");
    EXPECT_EQ(parsed("e ls | (read a; echo $a) && hosts").at(0).pipe, " (read a; echo $a)");
    EXPECT_EQ(parsed("e ls | cat # it's all").at(0).pipe, " cat");
}

TEST(CommandLine, ReadsRedirections) {
    const auto statement = parsed("e hostname >> 'my file' 2>err").at(0);
    ASSERT_EQ(statement.redirections.size(), 2U);
    EXPECT_EQ(statement.redirections[0].kind, Redirection::Kind::append_out);
    EXPECT_EQ(statement.redirections[0].file, "my file");
    EXPECT_EQ(statement.redirections[1].kind, Redirection::Kind::err);
    EXPECT_EQ(statement.redirections[1].file, "err");
    const auto in = parsed("e cat <'a b' > c").at(0);
    ASSERT_EQ(in.redirections.size(), 2U);
    EXPECT_EQ(in.redirections[0].kind, Redirection::Kind::in);
    EXPECT_EQ(in.redirections[0].file, "a b");
    EXPECT_TRUE(in.redirects_input());
    EXPECT_FALSE(statement.redirects_input());
    const auto both = parsed("e make >log 2>&1 | cat").at(0);
    ASSERT_EQ(both.redirections.size(), 2U);
    EXPECT_EQ(both.redirections[1].kind, Redirection::Kind::err_to_out);
    EXPECT_EQ(both.pipe, " cat");
}

TEST(CommandLine, GivesTheRestOfTheLineAfterABangToTheLocalShell) {
    const auto statements = parsed("hosts; !ls -l; date | wc");
    ASSERT_EQ(statements.size(), 2U);
    EXPECT_EQ(statements[1].local, "ls -l; date | wc");
    EXPECT_THAT(words_of("e echo !x"), ElementsAre("e", "echo", "!x"));
}

TEST(CommandLine, SeparatesStatementsByLines) {
    const auto statements = parsed("hosts # all\n\n!date; ls\r\ne ls | wc\ntopics\n");
    ASSERT_EQ(statements.size(), 4U);
    EXPECT_EQ(statements[1].local, "date; ls\r");
    EXPECT_EQ(statements[2].pipe, " wc");
    EXPECT_THAT(texts(statements[3]), ElementsAre("topics"));
    EXPECT_EQ(line_refusal("hosts &&\ntopics"), "column 9: expected a command after &&");
}

TEST(CommandLine, SaysWhatWasExpectedAndWhere) {
    EXPECT_EQ(line_refusal("e 'abc"), "column 7: expected ' to close the ' at column 3");
    EXPECT_EQ(line_refusal("e \"abc"), "column 7: expected \" to close the \" at column 3");
    EXPECT_EQ(line_refusal("e ls |"), "column 7: expected a local program after |");
    EXPECT_EQ(line_refusal("e ls >"), "column 7: expected a file name after >");
    EXPECT_EQ(line_refusal("e ls > ; hosts"), "column 8: expected a file name after >");
    EXPECT_EQ(line_refusal("e ls > f g"),
              "column 10: expected |, ; or the end of the line: redirections come last");
    EXPECT_EQ(line_refusal("| wc"), "column 1: expected a command before |");
    EXPECT_EQ(line_refusal("> f"), "column 1: expected a command before the redirection");
    EXPECT_EQ(line_refusal("hosts && "), "column 10: expected a command after &&");
    EXPECT_EQ(line_refusal("hosts &&"), "column 9: expected a command after &&");
    EXPECT_EQ(line_refusal("&& hosts"), "column 1: expected a command before &&");
    EXPECT_EQ(line_refusal("hosts && || e"), "column 10: expected a command after &&");
    EXPECT_EQ(line_refusal("!"), "column 2: expected a local command after !");
    EXPECT_EQ(line_refusal("e (ls"), "column 6: expected ) to close the ( at column 3");
    EXPECT_EQ(line_refusal("& hosts"), "column 1: expected a command before &");
    EXPECT_EQ(line_refusal("hosts & & e"), "column 9: expected a command before &");
    EXPECT_EQ(line_refusal("hosts & && e"), "column 9: expected a command before &&");
    EXPECT_EQ(line_refusal("hosts && & e"), "column 10: expected a command after &&");
    EXPECT_EQ(line_refusal("e ls > &"), "column 8: expected a file name after >");
    EXPECT_EQ(line_refusal("e cat << f"), "column 8: expected a file name after <");
    EXPECT_EQ(line_refusal("< f"), "column 1: expected a command before the redirection");
    EXPECT_THAT(line_refusal("e ls \\"), HasSubstr("expected a character after the backslash"));
    EXPECT_THAT(line_refusal("e ls 2>>&1"), HasSubstr("expected 2>&1 or a file name"));
}

// What runs in the background, each list as it was written; lists in the foreground in parentheses.
std::string lists_of(std::string_view line) {
    std::string text;
    for (const std::vector<Statement>& list : and_or_lists(parsed(line))) {
        const std::string written =
            list.back().source.substr(list.front().begin, list.back().end - list.front().begin);
        text += list.back().background ? "[" + written + "]" : "(" + written + ")";
    }
    return text;
}

TEST(CommandLine, AnAmpersandSendsTheListBeforeItToTheBackground) {
    EXPECT_EQ(lists_of("e sleep 1 &"), "[e sleep 1]");
    EXPECT_EQ(lists_of("e sleep 1&hosts"), "[e sleep 1](hosts)");
    EXPECT_EQ(lists_of("hosts; e a && e b & e c || e d"), "(hosts)[e a && e b](e c || e d)");
    EXPECT_EQ(lists_of("e a &; e b &\ne c # &"), "[e a][e b](e c)");
    EXPECT_EQ(lists_of("e a > f & e 'b &' & !sleep 1 &"), "[e a > f][e 'b &'](!sleep 1 &)");
    EXPECT_EQ(lists_of("smask a '&' b"), "(smask a '&' b)");
}

TEST(CommandLine, AnAmpersandAfterAnArrowBelongsToTheLocalProgram) {
    const auto statements = parsed("e x | sort 2>&1 | head & e y | cat <&0; e z 2>&1 &");
    ASSERT_EQ(statements.size(), 3U);
    EXPECT_EQ(statements[0].pipe, " sort 2>&1 | head");
    EXPECT_TRUE(statements[0].background);
    EXPECT_EQ(statements[1].pipe, " cat <&0");
    EXPECT_FALSE(statements[1].background);
    EXPECT_TRUE(statements[2].background);
    EXPECT_THAT(texts(parsed("e \\>& e")[0]), ElementsAre("e", ">"));
}

TEST(CommandLine, TellsWhetherAnotherLineIsWanted) {
    EXPECT_TRUE(needs_another_line("e 'a"));
    EXPECT_TRUE(needs_another_line("e \"a\nb"));
    EXPECT_TRUE(needs_another_line("e (a"));
    EXPECT_TRUE(needs_another_line("e `a"));
    EXPECT_TRUE(needs_another_line("e a \\"));
    EXPECT_TRUE(needs_another_line("e a | awk '{"));
    EXPECT_FALSE(needs_another_line("e a"));
    EXPECT_FALSE(needs_another_line("e a >"));
    EXPECT_TRUE(needs_another_line("e & 'a"));
    EXPECT_FALSE(needs_another_line("e && && 'a"));
}

TEST(CommandLine, JoinsContinuedLines) {
    EXPECT_THAT(words_of("explore a \\\n b"), ElementsAre("explore", "a", "b"));
    EXPECT_THAT(words_of("explore a\\\nb"), ElementsAre("explore", "ab"));
    EXPECT_THAT(words_of("e 'a\nb'"), ElementsAre("e", "a\nb"));
}

TEST(CommandLine, GivesUnfinishedWordsForCompletion) {
    const auto words = [](std::string_view line) { return unfinished_statement(line).words; };
    EXPECT_THAT(words(""), ElementsAre(""));
    EXPECT_THAT(words("ex"), ElementsAre("ex"));
    EXPECT_THAT(words("e --js"), ElementsAre("e", "--js"));
    EXPECT_THAT(words("e "), ElementsAre("e", ""));
    EXPECT_THAT(words("hosts; smask a0"), ElementsAre("smask", "a0"));
    EXPECT_THAT(words("show 'to"), ElementsAre("show", "to"));
    EXPECT_THAT(words("e a & smask a0"), ElementsAre("smask", "a0"));
    EXPECT_EQ(unfinished_statement("hosts; smask a0").last_begin, 13U);
    EXPECT_TRUE(unfinished_statement("e ls > fi").file);
    EXPECT_TRUE(unfinished_statement("e ls | so").local);
    EXPECT_TRUE(unfinished_statement("!l").local);
    EXPECT_FALSE(unfinished_statement("e ls").file);
}

TEST(CommandLine, IsTotal) {
    std::mt19937 random(7);
    const std::string_view alphabet = "ab !#'\"\\;|&<>()`$2[]-\n\t\x01\xff";
    for (int round = 0; round < 20000; ++round) {
        std::string line;
        for (auto length = random() % 24; length > 0; --length)
            line += alphabet[random() % alphabet.size()];
        const auto result = parse_command_line(line);
        if (!result) {
            EXPECT_THAT(result.error().message(), HasSubstr("column")) << line;
            continue;
        }
        for (const Statement& statement : *result) {
            EXPECT_NE(statement.words.empty(), statement.local.empty()) << line;
            EXPECT_LE(statement.raw_from(1).size(), line.size());
        }
        (void)needs_another_line(line);
        (void)unfinished_statement(line);
    }
}

}  // namespace
}  // namespace trellis
