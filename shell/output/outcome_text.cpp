#include "shell/output/outcome_text.hpp"

#include "agentd/model/host_range.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cstring>
#include <string_view>

#include <nlohmann/json.hpp>

namespace trellis {
namespace {

constexpr std::array<std::string_view, 8> kind_words{
    "invalid", "unreachable", "timed out", "refused", "cannot start", "lost", "cancelled", "unavailable"};

std::string_view kind_text(FailureKind kind) {
    return kind_words[std::min(static_cast<std::size_t>(kind), kind_words.size() - 1)];
}

std::string_view state_text(const Outcome& outcome) {
    switch (outcome.state) {
        case Outcome::State::succeeded:
            return "succeeded";
        case Outcome::State::exited:
            return "exited";
        case Outcome::State::signalled:
            return "signalled";
        case Outcome::State::failed:
            break;
    }
    return kind_text(outcome.kind);
}

std::string with_detail(const std::string& text, const std::string& detail) {
    // A cause that says the same again ("timed out in login") stands alone.
    if (detail.starts_with(text)) return detail;
    return detail.empty() ? text : text + ": " + detail;
}

bool is_numeric_address(const std::string& word) {
    in6_addr address{};
    return ::inet_pton(AF_INET, word.c_str(), &address) == 1 ||
           ::inet_pton(AF_INET6, word.c_str(), &address) == 1;
}

// With HOST for the host's own name and for numeric addresses.
std::string without_names(const std::string& text, const std::string& host) {
    constexpr const char* between = " ,;()[]'\"";
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t begin = std::min(text.find_first_not_of(between, at), text.size());
        const std::size_t end = std::min(text.find_first_of(between, begin), text.size());
        std::string word = text.substr(begin, end - begin);
        const std::string name = word.substr(0, word.find_last_not_of(':') + 1);
        if (name == host || is_numeric_address(name)) word.replace(0, name.size(), "HOST");
        result += text.substr(at, begin - at) + word;
        at = end;
    }
    return result;
}

// Hosts whose outcomes are the same but for names.
struct SameOutcome {
    std::vector<std::string> hosts;
    std::string text;     // of the first
    bool all_say = true;  // the text is literally that of all
};

}  // namespace

std::string outcome_text(const Outcome& outcome) {
    if (outcome.state == Outcome::State::exited)
        return with_detail("exit " + std::to_string(outcome.code), outcome.detail);
    if (outcome.state == Outcome::State::signalled) {
        const char* name = sigdescr_np(outcome.code);
        const std::string text = "signal " + std::to_string(outcome.code);
        return with_detail(name ? text + " (" + name + ")" : text, outcome.detail);
    }
    return with_detail(std::string(state_text(outcome)), outcome.detail);
}

nlohmann::json outcome_json(const std::string& host, const Outcome& outcome) {
    nlohmann::json json{{"host", host}, {"outcome", state_text(outcome)}};
    if (outcome.state == Outcome::State::exited || outcome.state == Outcome::State::signalled)
        json["code"] = outcome.code;
    if (!outcome.detail.empty()) json["detail"] = outcome.detail;
    return json;
}

std::vector<std::string> failure_lines(const std::map<std::string, Outcome>& outcomes) {
    std::map<std::string, SameOutcome> same;
    for (const auto& [host, outcome] : outcomes) {
        if (outcome.ok()) continue;
        const std::string text = outcome_text(outcome);
        SameOutcome& group = same[without_names(text, host)];
        if (group.hosts.empty()) group.text = text;
        group.all_say = group.all_say && group.text == text;
        group.hosts.push_back(host);
    }
    std::vector<std::string> lines;
    lines.reserve(same.size());
    for (const auto& [text, group] : same)
        lines.push_back(fold_hosts(group.hosts) + ": " + (group.all_say ? group.text : text));
    std::sort(lines.begin(), lines.end());
    return lines;
}

std::string suspicion_line(const std::string& host, bool silent) {
    return host + (silent ? ": silent, waiting for it" : ": speaks again");
}

int exit_status_of(const std::map<std::string, Outcome>& outcomes) {
    const bool ok =
        std::all_of(outcomes.begin(), outcomes.end(), [](const auto& item) { return item.second.ok(); });
    return ok && !outcomes.empty() ? 0 : 1;
}

}  // namespace trellis
