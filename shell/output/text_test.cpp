// Small pure texts: nearest names, durations, outcomes, visible text, labelled lines.
#include "agentd/core/exec_messages.hpp"
#include "shell/language/duration_text.hpp"
#include "shell/language/nearest.hpp"
#include "shell/output/labelled_lines.hpp"
#include "shell/output/outcome_text.hpp"
#include "shell/output/visible_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace trellis {
namespace {

using testing::ElementsAre;

TEST(Nearest, FindsWhatWasMeant) {
    const std::vector<std::string> names{"explore", "export", "hosts", "smask", "show", "e"};
    EXPECT_EQ(nearest("exlpore", names), "explore");
    EXPECT_EQ(nearest("host", names), "hosts");
    EXPECT_EQ(nearest("expl", names), "explore");
    EXPECT_EQ(nearest("shwo", names), "show");
    EXPECT_EQ(nearest("zzz", names), std::nullopt);
    EXPECT_EQ(nearest("x", names), std::nullopt);
    EXPECT_EQ(did_you_mean("hots", names), "; did you mean hosts?");
    EXPECT_EQ(nearest(std::string(100000, 'a'), names), std::nullopt);
}

TEST(EditDistance, CountsExchangesOnce) {
    EXPECT_EQ(edit_distance("", "abc"), 3U);
    EXPECT_EQ(edit_distance("ab", "ba"), 1U);
    EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
}

TEST(DurationText, ReadsUnits) {
    EXPECT_EQ(*parse_duration("10"), std::chrono::seconds(10));
    EXPECT_EQ(*parse_duration("500ms"), std::chrono::milliseconds(500));
    EXPECT_EQ(*parse_duration("1.5h"), std::chrono::minutes(90));
    for (const char* wrong : {"", "s", "-1s", "0", "1x", "nan", "inf", "1e300", "1s "})
        EXPECT_FALSE(parse_duration(wrong)) << wrong;
}

TEST(DurationText, ATimeoutMayBeMissing) {
    EXPECT_EQ(parse_timeout("").value(), std::nullopt);
    EXPECT_EQ(parse_timeout("2m").value(), std::chrono::minutes(2));
    EXPECT_EQ(parse_timeout("soon").error().message(), "--timeout: " + parse_duration("soon").error().cause);
}

TEST(DurationText, RoundsForPeople) {
    EXPECT_EQ(duration_text(std::chrono::milliseconds(1432)), "1.4 s");
    EXPECT_EQ(duration_text(std::chrono::milliseconds(35)), "35 ms");
    EXPECT_EQ(duration_text(std::chrono::seconds(125)), "125 s");
}

TEST(OutcomeText, NamesStatusSignalAndCause) {
    EXPECT_EQ(outcome_text({Outcome::State::exited, 3, {}, ""}), "exit 3");
    EXPECT_EQ(outcome_text({Outcome::State::signalled, 9, {}, ""}), "signal 9 (Killed)");
    EXPECT_EQ(outcome_text({Outcome::State::failed, 0, FailureKind::lost, ""}), "lost");
    EXPECT_EQ(outcome_text({Outcome::State::failed, 0, FailureKind::unreachable, "no route"}),
              "unreachable: no route");
    EXPECT_EQ(outcome_text({Outcome::State::failed, 0, FailureKind::timed_out, "timed out in login"}),
              "timed out in login");
}

TEST(OutcomeText, FoldsHostsWithTheSameFailure) {
    const Outcome failed{Outcome::State::exited, 3, {}, ""};
    const std::map<std::string, Outcome> outcomes{
        {"a00", Outcome::success()},
        {"a01", failed},
        {"a02", failed},
        {"b00", {Outcome::State::failed, 0, FailureKind::lost, ""}}};
    EXPECT_THAT(failure_lines(outcomes), ElementsAre("a[01-02]: exit 3", "b00: lost"));
    EXPECT_EQ(exit_status_of(outcomes), 1);
    EXPECT_EQ(exit_status_of({}), 1);
    EXPECT_EQ(exit_status_of({{"a", Outcome::success()}}), 0);
}

TEST(OutcomeText, FoldsCausesThatDifferInNamesAlone) {
    const auto unreachable = [](const std::string& detail) {
        return Outcome{Outcome::State::failed, 0, FailureKind::unreachable, detail};
    };
    EXPECT_THAT(failure_lines({{"a1", unreachable("no answer from a1 port 22")},
                               {"a2", unreachable("no answer from a2 port 22")},
                               {"b1", unreachable("10.0.0.1 port 22: No route to host")},
                               {"b2", unreachable("10.0.0.2 port 22: No route to host")},
                               {"b3", unreachable("fd00::3 port 22: No route to host")}}),
                ElementsAre("a[1-2]: unreachable: no answer from HOST port 22",
                            "b[1-3]: unreachable: HOST port 22: No route to host"));
    EXPECT_THAT(failure_lines({{"a1", unreachable("jump host gw: 10.0.0.9 port 22: refused")},
                               {"a2", unreachable("jump host gw: 10.0.0.9 port 22: refused")}}),
                ElementsAre("a[1-2]: unreachable: jump host gw: 10.0.0.9 port 22: refused"));
    EXPECT_THAT(failure_lines({{"a1", unreachable("cannot resolve hostname a1: no such name")}}),
                ElementsAre("a1: unreachable: cannot resolve hostname a1: no such name"));
}

TEST(VisibleText, ShowsControlCharacters) {
    EXPECT_EQ(visible_text("a\tb\nc"), "a\tb\nc");
    EXPECT_EQ(visible_text("\033[31mred\r"), "^[[31mred^M");
    EXPECT_EQ(visible_text("\x7f"), "^?");
    EXPECT_EQ(visible_text(std::string_view("\0", 1)), "^@");
}

TEST(VisibleText, KeepsUtf8AndShowsWhatIsNot) {
    EXPECT_EQ(visible_text("grün ⟶ 𝕏"), "grün ⟶ 𝕏");
    EXPECT_EQ(visible_text("\xc2\x9b"
                           "31m"),
              "\\xc2\\x9b31m");  // a control character in two bytes
    EXPECT_EQ(visible_text("\xff\xc3"), "\\xff\\xc3");
    EXPECT_EQ(visible_text("\xc0\xaf"), "\\xc0\\xaf");           // overlong
    EXPECT_EQ(visible_text("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // half of a surrogate pair
}

TEST(LabelledLines, JoinsPiecesOfALine) {
    LabelledLines lines(LabelledLines::Style::label, false);
    EXPECT_EQ(lines.add("a", exec_stdout, "on"), "");
    EXPECT_EQ(lines.add("b", exec_stdout, "x\n"), "b: x\n");
    EXPECT_EQ(lines.add("a", exec_stdout, "e\ntwo\nthr"), "a: one\na: two\n");
    EXPECT_EQ(lines.finish("a", exec_stdout), "a: thr\n");
    EXPECT_EQ(lines.finish("a", exec_stdout), "");
    EXPECT_EQ(lines.add("a", exec_stdout, "\n\n"), "a: \na: \n");
}

TEST(LabelledLines, CutsLinesWithoutEnd) {
    LabelledLines lines(LabelledLines::Style::label, false);
    const std::string text =
        lines.add("a", exec_stdout, std::string(2 * LabelledLines::longest_line + 5, 'x'));
    EXPECT_EQ(text.size(), 2 * (LabelledLines::longest_line + 4));
    EXPECT_EQ(lines.finish("a", exec_stdout), "a: xxxxx\n");
}

TEST(LabelledLines, MakesJsonOfAnyBytes) {
    LabelledLines lines(LabelledLines::Style::json, true);
    const auto json = nlohmann::json::parse(lines.add("a", exec_stderr, "\"\xff\033\n"));
    EXPECT_EQ(json["host"], "a");
    EXPECT_EQ(json["stream"], "stderr");
    EXPECT_EQ(json["line"], "\"\xef\xbf\xbd\033");
}

}  // namespace
}  // namespace trellis
