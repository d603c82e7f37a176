#include "agentd/core/exec_messages.hpp"
#include "agentd/model/host_range.hpp"
#include "shell/line_differences.hpp"
#include "shell/outcome_text.hpp"
#include "shell/output_view.hpp"
#include "shell/shell_context.hpp"
#include "shell/visible_text.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace trellis {
namespace {

struct Output {
    std::string out, err;
    std::string outcome;  // in words; empty if the command succeeded
    bool operator<(const Output& other) const {
        return std::tie(out, err, outcome) < std::tie(other.out, other.err, other.outcome);
    }
};

struct Group {
    const Output* output;
    std::vector<std::string> hosts;
};

class FoldedView final : public OutputView {
  public:
    FoldedView(ShellContext& context, bool raw, bool differences)
        : context_(context), visible_(context.terminal() && !raw), differences_(differences) {}

    Task<void> add(const std::string& host, std::uint32_t stream, std::string bytes) override {
        Output& output = outputs_[host];
        std::string& kept = stream == exec_stderr ? output.err : output.out;
        const std::size_t room = most_folded - kept.size();
        if (bytes.size() > room) cut_.insert(host);
        kept.append(bytes, 0, room);
        co_return;
    }

    Task<void> end(const std::string& host, const Outcome& outcome) override {
        outputs_[host].outcome = outcome.ok() ? "" : outcome_text(outcome);
        co_return;
    }

    Task<Result<void>> finish() override {
        if (!cut_.empty()) {
            const std::vector<std::string> hosts(cut_.begin(), cut_.end());
            context_.say(fold_hosts(hosts) + ": output cut after 1 MiB; e -o DIRECTORY keeps all");
        }
        const std::vector<Group> groups = grouped();
        for (const Group& group : groups) {
            const bool changed = differences_ && &group != &groups.front();
            Result<std::string> body = whole(*group.output);
            if (changed) body = co_await line_differences(whole(*groups.front().output), *body);
            if (!body) co_return body.error();
            std::string text = heading(group) + *body;
            if (visible_) text = visible_text(text);
            co_await context_.print(std::move(text));
        }
        co_return Result<void>{};
    }

  private:
    // The greatest group first; among equals the one that has the first host.
    [[nodiscard]] std::vector<Group> grouped() const {
        const auto less = [](const Output* a, const Output* b) { return *a < *b; };
        std::map<const Output*, std::vector<std::string>, decltype(less)> hosts(less);
        for (const auto& [host, output] : outputs_)
            hosts[&output].push_back(host);
        std::vector<Group> groups;
        groups.reserve(hosts.size());
        for (auto& [output, names] : hosts)
            groups.push_back({output, std::move(names)});
        std::sort(groups.begin(), groups.end(), [](const Group& a, const Group& b) {
            return std::make_tuple(b.hosts.size(), a.hosts) < std::make_tuple(a.hosts.size(), b.hosts);
        });
        return groups;
    }

    static std::string heading(const Group& group) {
        const std::string count =
            group.hosts.size() == 1 ? "" : " (" + std::to_string(group.hosts.size()) + ")";
        const std::string outcome = group.output->outcome.empty() ? "" : ": " + group.output->outcome;
        return "---- " + fold_hosts(group.hosts) + count + outcome + "\n";
    }

    static std::string whole(const Output& output) { return with_end(output.out) + with_end(output.err); }

    static std::string with_end(const std::string& text) {
        return text.empty() || text.back() == '\n' ? text : text + "\n";
    }

    ShellContext& context_;
    bool visible_;
    bool differences_;
    std::map<std::string, Output> outputs_;
    std::set<std::string> cut_;
};

}  // namespace

std::unique_ptr<OutputView> folded_view(ShellContext& context, bool raw, bool differences) {
    return std::make_unique<FoldedView>(context, raw, differences);
}

}  // namespace trellis
