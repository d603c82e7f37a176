// RegularExpression: what users look for in names and in output. Its time is linear in the text, whatever
// hosts print, and it needs no more stack for longer lines. A value. Syntax: RE2's.
#pragma once

#include "trellis/result.hpp"

#include <memory>
#include <string_view>

namespace re2 {
class RE2;
}

namespace trellis {

class RegularExpression {
  public:
    // Failure (invalid): what is wrong with the expression.
    [[nodiscard]] static Result<RegularExpression> parse(std::string_view expression);
    // Whether it matches anywhere in the text.
    [[nodiscard]] bool found_in(std::string_view text) const;

  private:
    explicit RegularExpression(std::shared_ptr<const re2::RE2> compiled) : compiled_(std::move(compiled)) {}
    std::shared_ptr<const re2::RE2> compiled_;
};

}  // namespace trellis
