#include "shell/hosts/regular_expression.hpp"

#include <re2/re2.h>
#include <string>

namespace trellis {

Result<RegularExpression> RegularExpression::parse(std::string_view expression) {
    re2::RE2::Options options;
    options.set_log_errors(false);
    const re2::StringPiece text(expression.data(), expression.size());
    auto compiled = std::make_shared<const re2::RE2>(text, options);
    if (!compiled->ok())
        return invalid("regular expression " + std::string(expression) + ": " + compiled->error());
    return RegularExpression(std::move(compiled));
}

bool RegularExpression::found_in(std::string_view text) const {
    return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *compiled_);
}

}  // namespace trellis
