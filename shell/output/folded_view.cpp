#include "agentd/core/exec_messages.hpp"
#include "agentd/model/host_range.hpp"
#include "shell/output/line_differences.hpp"
#include "shell/output/outcome_text.hpp"
#include "shell/output/output_view.hpp"
#include "shell/output/visible_text.hpp"
#include "shell/running/shell_context.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace trellis {
namespace {

struct Output {
    std::string out, err;
    Outcome outcome;
    std::string words;  // of the outcome; empty if the command succeeded
    bool operator<(const Output& other) const {
        return std::tie(out, err, words) < std::tie(other.out, other.err, other.words);
    }
};

struct Group {
    const Output* output;
    std::vector<std::string> hosts;
};

class FoldedView final : public OutputView {
  public:
    FoldedView(ShellContext& context, bool raw, FoldedStyle style)
        : context_(context), visible_(context.terminal() && !raw), style_(style) {}

    [[nodiscard]] bool folds() const override { return true; }

    Task<void> add(const std::string& host, std::uint32_t stream, std::string bytes) override {
        Output& output = unfinished_[host];
        std::string& kept = stream == exec_stderr ? output.err : output.out;
        const std::size_t room = most_folded - kept.size();
        if (bytes.size() > room) cut_.insert(host);
        kept.append(bytes, 0, room);
        co_return;
    }

    Task<void> end(const std::string& host, const Outcome& outcome) override {
        Output output = std::move(unfinished_[host]);
        unfinished_.erase(host);
        output.outcome = outcome;
        if (!outcome.ok()) output.words = outcome_text(outcome);
        hosts_[std::move(output)].push_back(host);
        co_return;
    }

    Task<Result<void>> finish() override {
        if (!cut_.empty()) {
            const std::vector<std::string> hosts(cut_.begin(), cut_.end());
            context_.say(fold_hosts(hosts) + ": output cut after 1 MiB; e -o DIRECTORY keeps all");
        }
        const std::vector<Group> groups = grouped();
        for (const Group& group : groups) {
            Result<std::string> text = co_await shown(group, groups.front());
            if (!text) co_return text.error();
            co_await context_.print(std::move(*text));
        }
        co_return Result<void>{};
    }

  private:
    Task<Result<std::string>> shown(const Group& group, const Group& first) const {
        if (style_ == FoldedStyle::json) co_return json(group);
        Result<std::string> body = whole(*group.output);
        if (style_ == FoldedStyle::differences && &group != &first)
            body = co_await line_differences(whole(*first.output), *body);
        if (!body) co_return body.error();
        const std::string text = heading(group) + *body;
        co_return visible_ ? visible_text(text) : text;
    }

    // The greatest group first; among equals the one that has the first host.
    [[nodiscard]] std::vector<Group> grouped() const {
        std::vector<Group> groups;
        groups.reserve(hosts_.size());
        for (const auto& [output, hosts] : hosts_) {
            groups.push_back({&output, hosts});
            std::sort(groups.back().hosts.begin(), groups.back().hosts.end());
        }
        std::sort(groups.begin(), groups.end(), [](const Group& a, const Group& b) {
            return std::make_tuple(b.hosts.size(), a.hosts) < std::make_tuple(a.hosts.size(), b.hosts);
        });
        return groups;
    }

    static std::string heading(const Group& group) {
        const std::string count =
            group.hosts.size() == 1 ? "" : " (" + std::to_string(group.hosts.size()) + ")";
        const std::string words = group.output->words.empty() ? "" : ": " + group.output->words;
        return "---- " + fold_hosts(group.hosts) + count + words + "\n";
    }

    static std::string json(const Group& group) {
        nlohmann::json json = outcome_json("", group.output->outcome);
        json.erase("host");
        json["hosts"] = group.hosts;
        json["stdout"] = group.output->out;
        json["stderr"] = group.output->err;
        return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
    }

    static std::string whole(const Output& output) { return with_end(output.out) + with_end(output.err); }

    static std::string with_end(const std::string& text) {
        return text.empty() || text.back() == '\n' ? text : text + "\n";
    }

    ShellContext& context_;
    bool visible_;
    FoldedStyle style_;
    std::map<std::string, Output> unfinished_;
    std::map<Output, std::vector<std::string>> hosts_;  // that have ended, by what they have printed
    std::set<std::string> cut_;
};

}  // namespace

std::unique_ptr<OutputView> folded_view(ShellContext& context, bool raw, FoldedStyle style) {
    return std::make_unique<FoldedView>(context, raw, style);
}

}  // namespace trellis
