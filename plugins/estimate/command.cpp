// The shell side of `estimate`: of a history or of given distributions, and its subcommands.
#include "trellis/plugin.hpp"

#include "agentd/model/topology_value.hpp"
#include "plugins/estimate/estimate_options.hpp"
#include "plugins/estimate/estimation.hpp"
#include "plugins/estimate/evaluation/evaluation_drawing.hpp"
#include "plugins/estimate/record/recording.hpp"
#include "plugins/estimate/report.hpp"

#include <fstream>
#include <memory>
#include <string>

#include <nlohmann/json.hpp>

namespace trellis::plugins::estimate {
namespace {

std::string json_line(const nlohmann::json& json) {
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

class EstimateCommand final : public Command {
  public:
    void declare(OptionSet& options) override { options_.declare(options); }
    Task<int> run(CommandContext& context) override;

  private:
    [[nodiscard]] Result<Answer> answer(CommandContext& context) const;
    [[nodiscard]] Result<Transfers> transfers(CommandContext& context) const;
    [[nodiscard]] Result<std::string> evaluation() const;

    EstimateOptions options_;
};

Task<int> EstimateCommand::run(CommandContext& context) {
    if (const auto wrong = options_.complete()) {
        context.say("estimate: " + *wrong);
        co_return 2;
    }
    if (options_.records()) {
        Recording recording(context, options_.recording(), options_.question().root);
        co_return co_await recording.run();
    }
    Result<std::string> text = invalid("");
    if (options_.evaluates()) {
        text = evaluation();
    } else if (const Result<Answer> found = answer(context)) {
        text = options_.json() ? json_line(answer_json(*found)) : answer_text(*found);
        for (const std::string& remark : found->remarks)
            context.say(remark);
    } else {
        text = found.error();
    }
    if (!text) {
        context.say("estimate: " + text.error().message());
        co_return 1;
    }
    co_await context.print(std::move(*text));
    co_return 0;
}

Result<Transfers> EstimateCommand::transfers(CommandContext& context) const {
    const double bytes = options_.question().bytes;
    if (bytes == 0) return Transfers();
    const Retained* bandwidth = context.bus().find("bandwidth");
    if (bandwidth == nullptr) return unavailable("--bytes needs the bandwidths of these hosts: run bwtree");
    return Transfers::from_json(bandwidth->value->to_json(), bytes);
}

Result<Answer> EstimateCommand::answer(CommandContext& context) const {
    const auto known = context.bus().get<TopologyValue>("topology");
    const Result<Transfers> how = transfers(context);
    if (!how) return how.error();
    Estimation estimation(options_.question(), known ? &known->topology() : nullptr, *how);
    if (options_.model()) {
        const auto hosts = read_model(*options_.model());
        if (!hosts) return hosts.error();
        return estimation.of_model(*hosts);
    }
    const Result<History> history = read_history(*options_.from(), options_.ms_per_unit());
    if (!history) return history.error();
    return estimation.of_history(*history);
}

Result<std::string> EstimateCommand::evaluation() const {
    const Result<History> history = read_history(*options_.from(), options_.ms_per_unit());
    if (!history) return history.error();
    const Question& question = options_.question();
    const std::string root = question.root.empty() ? only_root(*history) : question.root;
    const auto selected = select_columns(*history, root, question.hosts);
    if (!selected) return selected.error();
    const History filled = fill_lost(*selected).history;
    if (filled.columns.empty()) return invalid("every sample was lost");
    const Result<ErrorTable> table = evaluate(filled, options_.evaluation());
    if (!table) return table.error();
    if (options_.plot()) {
        std::ofstream file(*options_.plot());
        file << evaluation_svg(filled, *table);
        file.close();
        if (!file) return invalid(*options_.plot() + ": cannot be written");
    }
    return options_.json() ? json_line(error_table_json(*table)) : error_table_text(*table);
}

}  // namespace

CommandEntry command() {
    return {"estimate", "how long a collective will take",
            []() -> std::unique_ptr<Command> { return std::make_unique<EstimateCommand>(); }};
}

}  // namespace trellis::plugins::estimate
