#include "shell/commands/host_answers.hpp"

#include "shell/commands/remote_command.hpp"
#include "shell/output/outcome_text.hpp"
#include "shell/output/output_view.hpp"

#include <utility>

namespace trellis {
namespace {

// Shows nothing: RemoteCommand keeps what is wanted here.
class NoView final : public OutputView {
  public:
    Task<void> add(const std::string&, std::uint32_t, std::string) override { co_return; }
    Task<void> end(const std::string&, const Outcome&) override { co_return; }
    Task<Result<void>> finish() override { co_return Result<void>{}; }
};

// The parts of a text that are each ended by this character; nothing if there are not so many.
std::vector<std::string> parts_of(const std::string& text, char end, std::size_t count) {
    std::vector<std::string> parts;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t stop = text.find(end, at);
        if (stop == std::string::npos) return {};
        parts.push_back(text.substr(at, stop - at));
        at = stop + 1;
    }
    if (parts.size() != count) parts.clear();
    return parts;
}

}  // namespace

Task<HostAnswers> ask_hosts(ShellContext& context, std::string command, Places from, char end,
                            std::size_t count) {
    NoView view;
    RemoteCommand remote(context, context.selection(), view);
    auto outcomes = co_await remote.run(std::move(command), from, std::nullopt);
    HostAnswers answers;
    answers.status = exit_status_of(outcomes);
    for (auto& [host, outcome] : outcomes) {
        const LastOutput& printed = context.last_output()[host];
        std::vector<std::string> texts = parts_of(printed.out, end, count);
        if (!outcome.ok()) {
            const std::size_t last = printed.err.find_last_not_of('\n') + 1;
            if (outcome.detail.empty()) outcome.detail = printed.err.substr(0, last);
        } else if (texts.size() == count) {
            answers.texts[host] = std::move(texts);
        } else {
            answers.status = 1;
            outcome = Outcome::of({FailureKind::invalid, "", "", "a line break in it, or too long"});
        }
    }
    for (const std::string& line : failure_lines(outcomes))
        context.say(line);
    co_return answers;
}

std::string as_written(const Statement& statement, const Word& word) {
    return statement.source.substr(word.begin, word.end - word.begin);
}

}  // namespace trellis
