#include "shell/hosts/output_condition.hpp"

#include "shell/hosts/trimmed.hpp"

#include <algorithm>
#include <charconv>

namespace trellis {
namespace {

Failure expected() {
    return Failure{
        FailureKind::invalid, "", "",
        "expected a condition such as 'stdout ~ EXPRESSION', 'stderr !~ EXPRESSION' or 'status = NUMBER'"};
}

bool found_in_a_line(std::string_view text, const RegularExpression& expression) {
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        if (expression.found_in(text.substr(0, end))) return true;
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return false;
}

int status_of(const Outcome& outcome) {
    if (outcome.state == Outcome::State::succeeded) return 0;
    if (outcome.state == Outcome::State::signalled) return 128 + outcome.code;
    return outcome.state == Outcome::State::exited ? outcome.code : -1;
}

}  // namespace

Result<OutputCondition> OutputCondition::parse(std::string_view text) {
    OutputCondition condition;
    text = trimmed(text);
    const std::size_t field_end = std::min(text.find_first_of(" \t!~="), text.size());
    const std::string_view field = text.substr(0, field_end);
    text = trimmed(text.substr(field_end));
    condition.negated_ = text.starts_with("!");
    if (condition.negated_) text.remove_prefix(1);
    const char sign = text.empty() ? '\0' : text[0];
    const std::string_view value = trimmed(text.substr(std::min<std::size_t>(1, text.size())));
    if (field == "status" && sign == '=') {
        condition.field_ = Field::status;
        const auto [end, error] =
            std::from_chars(value.data(), value.data() + value.size(), condition.status_);
        if (error != std::errc{} || end != value.data() + value.size()) return expected();
        return condition;
    }
    if ((field != "stdout" && field != "stderr") || sign != '~' || value.empty()) return expected();
    condition.field_ = field == "stdout" ? Field::out : Field::err;
    auto expression = RegularExpression::parse(value);
    if (!expression) return expression.error();
    condition.expression_ = std::move(*expression);
    return condition;
}

bool OutputCondition::holds(const LastOutput& output, const Outcome& outcome) const {
    if (field_ == Field::status) return (status_of(outcome) == status_) != negated_;
    return found_in_a_line(field_ == Field::out ? output.out : output.err, *expression_) != negated_;
}

}  // namespace trellis
