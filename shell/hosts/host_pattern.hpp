// A pattern of host names as users write it: a host range (a[00-15]), with * and ? as wildcards in it, or a
// regular expression between slashes (/^a.*[02468]$/, found anywhere in the name). A value; it knows no host.
#pragma once

#include "trellis/result.hpp"

#include "shell/hosts/regular_expression.hpp"

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace trellis {

class HostPattern {
  public:
    [[nodiscard]] static Result<HostPattern> parse(std::string_view text);
    [[nodiscard]] bool matches(const std::string& name) const;
    // As it was written.
    [[nodiscard]] const std::string& text() const { return text_; }
    // The names that the pattern spells out; empty if it is a wildcard or an expression.
    [[nodiscard]] const std::set<std::string>& names() const { return names_; }

  private:
    std::string text_;
    std::set<std::string> names_;
    std::vector<std::string> globs_;
    std::optional<RegularExpression> expression_;
};

}  // namespace trellis
