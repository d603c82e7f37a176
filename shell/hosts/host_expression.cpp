#include "shell/hosts/host_expression.hpp"

#include "shell/hosts/host_pattern.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace trellis {
namespace {

bool is_operator(const std::string& word) {
    return word.size() == 1 && std::string("+-&^").find(word[0]) != std::string::npos;
}

HostNames combine(char operation, const HostNames& a, const HostNames& b) {
    HostNames result;
    const auto out = std::inserter(result, result.end());
    switch (operation) {
        case '-':
            std::set_difference(a.begin(), a.end(), b.begin(), b.end(), out);
            break;
        case '&':
            std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), out);
            break;
        case '^':
            std::set_symmetric_difference(a.begin(), a.end(), b.begin(), b.end(), out);
            break;
        default:
            std::set_union(a.begin(), a.end(), b.begin(), b.end(), out);
    }
    return result;
}

// A name that was spelt out is meant; that nothing is called so is a mistake.
Result<HostNames> matching(const std::string& word, const HostNames& known) {
    const Result<HostPattern> pattern = HostPattern::parse(word);
    if (!pattern) return pattern.error();
    for (const std::string& name : pattern->names())
        if (!known.contains(name)) return unavailable("no host is called " + name);
    HostNames names;
    std::copy_if(known.begin(), known.end(), std::inserter(names, names.end()),
                 [&](const std::string& name) { return pattern->matches(name); });
    return names;
}

}  // namespace

Result<HostNames> evaluate_hosts(const std::vector<std::string>& words, const HostNames& known,
                                 const HostNames& selected, const HostGroups& groups) {
    HostNames result;
    if (!words.empty() && is_operator(words.front())) result = selected;
    char operation = '+';
    bool complete = true;
    for (const std::string& word : words) {
        if (is_operator(word)) {
            if (!std::exchange(complete, false)) return invalid("expected hosts before '" + word + "'");
            operation = word[0];
            continue;
        }
        const Result<HostNames> term = word.starts_with("@") ? groups(word.substr(1)) : matching(word, known);
        if (!term) return term.error();
        result = combine(std::exchange(operation, '+'), result, *term);
        complete = true;
    }
    if (!complete) return invalid("expected hosts after '" + words.back() + "'");
    return combine('&', result, known);
}

}  // namespace trellis
