#include "shell/hosts/host_pattern.hpp"

#include "agentd/model/host_range.hpp"

#include <algorithm>
#include <fnmatch.h>
#include <utility>

namespace trellis {

Result<HostPattern> HostPattern::parse(std::string_view text) {
    HostPattern pattern;
    pattern.text_ = std::string(text);
    if (text.size() >= 2 && text.front() == '/' && text.back() == '/') {
        auto expression = RegularExpression::parse(text.substr(1, text.size() - 2));
        if (!expression) return expression.error();
        pattern.expression_ = std::move(*expression);
        return pattern;
    }
    Result<std::vector<std::string>> names = expand_hosts(text);
    if (!names) return names.error();
    for (std::string& name : *names) {
        if (name.find_first_of("*?") != std::string::npos)
            pattern.globs_.push_back(std::move(name));
        else
            pattern.names_.insert(std::move(name));
    }
    return pattern;
}

bool HostPattern::matches(const std::string& name) const {
    if (expression_) return expression_->found_in(name);
    if (names_.contains(name)) return true;
    return std::any_of(globs_.begin(), globs_.end(),
                       [&](const std::string& glob) { return fnmatch(glob.c_str(), name.c_str(), 0) == 0; });
}

}  // namespace trellis
