#include "agentd/core/exec_messages.hpp"
#include "shell/output/labelled_lines.hpp"
#include "shell/output/outcome_text.hpp"
#include "shell/output/output_view.hpp"
#include "shell/running/shell_context.hpp"

#include <utility>

#include <nlohmann/json.hpp>

namespace trellis {
namespace {

class LabelledView final : public OutputView {
  public:
    LabelledView(ShellContext& context, bool raw)
        : context_(context),
          out_(LabelledLines::Style::label, context.terminal() && !raw),
          err_(LabelledLines::Style::label, context.error_terminal() && !raw) {}

    Task<void> add(const std::string& host, std::uint32_t stream, std::string bytes) override {
        const bool to_err = stream == exec_stderr;
        LabelledLines& lines = to_err ? err_ : out_;
        std::string text = bytes.empty() ? lines.finish(host, stream) : lines.add(host, stream, bytes);
        if (text.empty()) co_return;
        if (to_err)
            co_await context_.print_error(std::move(text));
        else
            co_await context_.print(std::move(text));
    }

    // Streams whose end has not come (the host is lost): their last lines.
    Task<void> end(const std::string& host, const Outcome&) override {
        co_await add(host, exec_stdout, "");
        co_await add(host, exec_stderr, "");
    }

    Task<Result<void>> finish() override { co_return Result<void>{}; }

  private:
    ShellContext& context_;
    LabelledLines out_;
    LabelledLines err_;
};

class JsonView final : public OutputView {
  public:
    explicit JsonView(ShellContext& context) : context_(context) {}

    Task<void> add(const std::string& host, std::uint32_t stream, std::string bytes) override {
        std::string text = bytes.empty() ? lines_.finish(host, stream) : lines_.add(host, stream, bytes);
        if (!text.empty()) co_await context_.print(std::move(text));
    }

    Task<void> end(const std::string& host, const Outcome& outcome) override {
        std::string text = lines_.finish(host, exec_stdout) + lines_.finish(host, exec_stderr);
        text +=
            outcome_json(host, outcome).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
        co_await context_.print(std::move(text));
    }

    Task<Result<void>> finish() override { co_return Result<void>{}; }

  private:
    ShellContext& context_;
    LabelledLines lines_{LabelledLines::Style::json, false};
};

}  // namespace

std::unique_ptr<OutputView> labelled_view(ShellContext& context, bool raw) {
    return std::make_unique<LabelledView>(context, raw);
}

std::unique_ptr<OutputView> json_view(ShellContext& context) {
    return std::make_unique<JsonView>(context);
}

}  // namespace trellis
