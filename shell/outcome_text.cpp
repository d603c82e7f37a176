#include "shell/outcome_text.hpp"

#include "agentd/model/host_range.hpp"

#include <algorithm>
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
    std::map<std::string, std::vector<std::string>> hosts;
    for (const auto& [host, outcome] : outcomes)
        if (!outcome.ok()) hosts[outcome_text(outcome)].push_back(host);
    std::vector<std::string> lines;
    lines.reserve(hosts.size());
    for (const auto& [text, names] : hosts)
        lines.push_back(fold_hosts(names) + ": " + text);
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
