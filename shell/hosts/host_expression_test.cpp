// Expressions over hosts, conditions on output, masks: the pure parts of a selection.
#include "shell/hosts/host_expression.hpp"

#include "shell/hosts/masks.hpp"
#include "shell/hosts/output_condition.hpp"

#include <gmock/gmock.h>

namespace trellis {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const HostNames known{"a0", "a1", "a2", "a3", "b0", "b1"};
const HostNames selected{"a0", "b0"};

Result<HostNames> evaluate(const std::vector<std::string>& words) {
    return evaluate_hosts(words, known, selected, [](const std::string& name) -> Result<HostNames> {
        if (name == "odd") return HostNames{"a1", "a3", "b1", "gone"};
        return unavailable("no group " + name);
    });
}

TEST(HostExpression, JoinsTermsFromLeftToRight) {
    EXPECT_THAT(*evaluate({"a[0-1]", "b0"}), ElementsAre("a0", "a1", "b0"));
    EXPECT_THAT(*evaluate({"a*", "-", "a0", "b1"}), ElementsAre("a1", "a2", "a3", "b1"));
    EXPECT_THAT(*evaluate({"a*", "&", "@odd"}), ElementsAre("a1", "a3"));
    EXPECT_THAT(*evaluate({"a[0-1]", "^", "@odd"}), ElementsAre("a0", "a3", "b1"));
    EXPECT_THAT(*evaluate({"a*", "-", "/[01]$/", "+", "b0"}), ElementsAre("a2", "a3", "b0"));
    EXPECT_THAT(*evaluate({}), IsEmpty());
}

TEST(HostExpression, BeginsWithTheSelectionWhereAnOperatorStandsFirst) {
    EXPECT_THAT(*evaluate({"+", "a1"}), ElementsAre("a0", "a1", "b0"));
    EXPECT_THAT(*evaluate({"-", "a*"}), ElementsAre("b0"));
    EXPECT_THAT(*evaluate({"&", "@odd"}), IsEmpty());
}

TEST(HostExpression, HoldsKnownHostsOnly) {
    EXPECT_THAT(*evaluate({"@odd"}), ElementsAre("a1", "a3", "b1"));
    EXPECT_THAT(*evaluate({"c*"}), IsEmpty());
}

TEST(HostExpression, SaysWhatIsWrong) {
    EXPECT_EQ(evaluate({"a9"}).error().cause, "no host is called a9");
    EXPECT_EQ(evaluate({"@even"}).error().cause, "no group even");
    EXPECT_EQ(evaluate({"a0", "-"}).error().cause, "expected hosts after '-'");
    EXPECT_EQ(evaluate({"a0", "-", "&", "a1"}).error().cause, "expected hosts before '&'");
    EXPECT_FALSE(evaluate({"/(/"}));
}

bool holds(const std::string& condition, const LastOutput& output, int code = 0) {
    const auto parsed = OutputCondition::parse(condition);
    EXPECT_TRUE(parsed) << condition;
    const Outcome exited{Outcome::State::exited, code, {}, ""};
    return parsed->holds(output, code == 0 ? Outcome::success() : exited);
}

TEST(OutputCondition, LooksIntoLines) {
    const LastOutput output{"Linux 6.1\nx86_64\n", "warning\n"};
    EXPECT_TRUE(holds("stdout ~ ^x86", output));
    EXPECT_TRUE(holds("stdout~6\\.1$", output));
    EXPECT_FALSE(holds("stdout ~ warning", output));
    EXPECT_TRUE(holds("stderr ~ warn", output));
    EXPECT_TRUE(holds("stderr !~ error", output));
    EXPECT_FALSE(holds(" stderr  !~  warning ", output));
    EXPECT_FALSE(holds("stdout ~ .", LastOutput{}));
    EXPECT_FALSE(holds("stdout ~ (a|b)*c", {std::string(1 << 20, 'a'), ""}));
}

TEST(OutputCondition, ComparesTheStatus) {
    EXPECT_TRUE(holds("status = 0", {}));
    EXPECT_TRUE(holds("status = 3", {}, 3));
    EXPECT_TRUE(holds("status != 0", {}, 3));
    const Outcome killed{Outcome::State::signalled, 9, {}, ""};
    EXPECT_TRUE(OutputCondition::parse("status = 137")->holds({}, killed));
    EXPECT_FALSE(OutputCondition::parse("status=0")->holds({}, Outcome::of({FailureKind::lost, "", "", ""})));
}

TEST(OutputCondition, RefusesWhatItIsNot) {
    for (const char* wrong :
         {"", "stdout", "stdout ~", "stdout = 3", "status ~ 3", "status = x", "status = 3x", "size ~ 1"})
        EXPECT_THAT(OutputCondition::parse(wrong).error().cause, HasSubstr("expected a condition")) << wrong;
    EXPECT_THAT(OutputCondition::parse("stdout ~ (").error().cause, HasSubstr("regular expression ("));
}

TEST(Masks, UndoTakesBackOneChangeAtATime) {
    Masks masks;
    EXPECT_FALSE(masks.undo());
    masks.set({"a"});
    masks.set({"a"});  // no change
    masks.set({"b"});
    EXPECT_TRUE(masks.undo());
    EXPECT_THAT(masks.current(), ElementsAre("a"));
    EXPECT_TRUE(masks.undo());
    EXPECT_THAT(masks.current(), IsEmpty());
    EXPECT_FALSE(masks.undo());
    for (std::size_t i = 0; i < 2 * Masks::longest_history; ++i)
        masks.set({std::to_string(i)});
    for (std::size_t i = 0; i < Masks::longest_history; ++i)
        EXPECT_TRUE(masks.undo());
    EXPECT_FALSE(masks.undo());
}

TEST(Masks, AreKeptUnderNamesAndOnAStack) {
    Masks masks;
    masks.set({"a"});
    masks.save("x");
    masks.push();
    masks.set({"b"});
    EXPECT_FALSE(masks.restore("y"));
    EXPECT_TRUE(masks.restore("x"));
    EXPECT_THAT(masks.current(), ElementsAre("a"));
    EXPECT_TRUE(masks.undo());
    EXPECT_TRUE(masks.pop());
    EXPECT_THAT(masks.current(), ElementsAre("a"));
    EXPECT_FALSE(masks.pop());
}

}  // namespace
}  // namespace trellis
