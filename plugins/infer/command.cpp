// The shell side of `infer`: of the selected hosts, or of a file of round-trip times.
#include "trellis/plugin.hpp"

#include "agentd/model/topology_value.hpp"
#include "plugins/infer/infer_options.hpp"
#include "plugins/infer/inference.hpp"
#include "plugins/infer/matrix/matrix_file.hpp"
#include "plugins/infer/upkeep.hpp"

#include <cstdio>
#include <memory>
#include <string>

namespace trellis::plugins::infer {
namespace {

std::string summary_of_file(const Finding& finding, Duration taken) {
    char line[160];
    std::snprintf(line, sizeof line, "tree of %zu hosts from %llu pairs in %.1f s; %zu switches",
                  finding.topology.hosts.size(), static_cast<unsigned long long>(finding.measured_pairs),
                  std::chrono::duration<double>(taken).count(), finding.topology.switches.size());
    return line;
}

class InferCommand final : public Command {
  public:
    void declare(OptionSet& options) override { options_.declare(options); }
    Task<int> run(CommandContext& context) override;

  private:
    Task<int> infer_file(CommandContext& context, const std::string& path);

    InferOptions options_;
};

Task<int> InferCommand::run(CommandContext& context) {
    if (const auto wrong = options_.complete()) {
        context.say("infer: " + *wrong);
        co_return 2;
    }
    if (options_.rtt_file()) co_return co_await infer_file(context, *options_.rtt_file());
    if (context.selection().empty()) {
        context.say("infer: no hosts are selected: reach some with explore first");
        co_return 2;
    }
    Upkeep upkeep(context, options_);
    if (options_.watch()) co_await upkeep.watch();
    if (options_.verify()) co_return co_await upkeep.verify();
    Inference inference(context, options_);
    co_return co_await inference.run();
}

Task<int> InferCommand::infer_file(CommandContext& context, const std::string& path) {
    const TimePoint started = context.clock().now();
    const Result<Finding> finding = infer_from_file(path);
    if (!finding) {
        context.say("infer: " + finding.error().message());
        co_return 1;
    }
    const Topology& topology = finding->topology;
    context.bus().publish("topology", std::make_shared<TopologyValue>(topology), topology.hosts);
    context.say(summary_of_file(*finding, context.clock().now() - started));
    for (const std::string& remark : finding->remarks)
        context.say(remark);
    co_await context.print(options_.render(topology));
    co_return 0;
}

}  // namespace

CommandEntry command() {
    return {"infer", "find the tree of switches between the selected hosts",
            []() -> std::unique_ptr<Command> { return std::make_unique<InferCommand>(); }};
}

}  // namespace trellis::plugins::infer
