// `topology`: what can be done with topologies in files and on the bus.
#include "agentd/model/bandwidth_value.hpp"
#include "agentd/model/topology_compare.hpp"
#include "agentd/model/topology_dot.hpp"
#include "agentd/model/topology_json.hpp"
#include "agentd/model/topology_newick.hpp"
#include "agentd/model/topology_page.hpp"
#include "agentd/model/topology_query.hpp"
#include "agentd/model/topology_slurm.hpp"
#include "agentd/model/topology_svg.hpp"
#include "agentd/model/topology_text.hpp"
#include "agentd/model/topology_value.hpp"
#include "shell/commands/builtins.hpp"
#include "shell/session/session_file.hpp"

#include <optional>

#include <nlohmann/json.hpp>

namespace trellis {
namespace {

class TopologyCommand final : public Builtin {
  public:
    void declare(OptionSet& options) override {
        options.description(
            "Compare, draw or view topologies, from files (trellis-topology(5)) or from the bus");
        compare_ = &options.subcommand("compare", "How far an inferred topology is from the true one");
        compare_->option("truth", first_, "A file, or a topic").required().type_name("TRUTH");
        compare_->option("inferred", second_, "A file, or a topic (topology)").type_name("INFERRED");
        compare_->option("--queries", plan_.queries, "Random questions on shared links").type_name("NUMBER");
        compare_->option("--seed", plan_.seed, "Of these questions").type_name("NUMBER");
        compare_->flag("--json", json_, "As JSON");
        draw_ = &options.subcommand("draw", "Print a topology");
        draw_->option("topology", first_, "A file, or a topic (topology)").type_name("TOPOLOGY");
        draw_->flag("--json", json_, "As JSON");
        draw_->flag("--dot", dot_, "For Graphviz");
        draw_->flag("--newick", newick_, "In Newick's format");
        draw_->flag("--slurm-conf", slurm_conf_, "As Slurm's topology.conf");
        draw_->flag("--slurm-yaml", slurm_yaml_, "As Slurm's topology.yaml");
        view_ = &options.subcommand("view", "Write a page for the browser");
        view_->option("topology", first_, "A file, or a topic (topology)").type_name("TOPOLOGY");
        view_->option("-o,--output", output_, "Where to; - is standard output").type_name("FILE");
        view_->flag("--svg", svg_, "A drawing that stands still");
    }

  protected:
    Task<int> run_in_shell(ShellContext& context) override {
        if (view_->parsed()) co_return co_await view(context);
        const Result<std::string> text = draw_->parsed() ? draw(context) : compare(context);
        if (!text) co_return context.fail(text.error().message());
        co_await context.print(*text);
        co_return 0;
    }

  private:
    // A topic if there is one of that name, else a file.
    static Result<Topology> read(ShellContext& context, const std::string& name) {
        if (const auto value = context.bus().get<TopologyValue>(name)) return value->topology();
        if (name == TopologyValue::type_name)
            return unavailable("no topology on the bus: run infer, or name a file");
        const Result<std::string> text = read_whole_file(name);
        if (!text) return text.error();
        Result<Topology> topology = parse_topology(*text);
        if (!topology) return invalid(name + ": " + topology.error().message());
        return topology;
    }

    [[nodiscard]] Result<std::string> compare(ShellContext& context) const {
        const Result<Topology> truth = read(context, first_);
        if (!truth) return truth.error();
        const Result<Topology> inferred = read(context, second_);
        if (!inferred) return inferred.error();
        const Result<TopologyComparison> comparison = compare_topologies(*truth, *inferred, plan_);
        if (!comparison) return comparison.error();
        if (json_) return comparison_to_json(*comparison).dump() + "\n";
        return comparison_text(*comparison);
    }

    [[nodiscard]] Result<std::string> draw(ShellContext& context) const {
        const Result<Topology> topology = read(context, first_);
        if (!topology) return topology.error();
        if (json_) return topology_file(*topology);
        if (dot_) return topology_dot(*topology);
        if (newick_) return topology_newick(*topology);
        if (slurm_conf_) return slurm_topology_conf(*topology);
        if (slurm_yaml_) return slurm_topology_yaml(*topology);
        return topology_text(*topology);
    }

    // With the bandwidths of the bus, if they are of this tree.
    [[nodiscard]] std::string page(ShellContext& context, const Topology& topology) const {
        const auto known = context.bus().get<BandwidthValue>(BandwidthValue::type_name);
        if (known) {
            const TopologyBandwidth& tree = known->tree();
            const Result<Topology> same = project(topology, tree.topology.hosts);
            if (same && *same == tree.topology && topology.hosts.size() == tree.topology.hosts.size())
                return svg_ ? topology_svg(tree) : topology_page(tree);
        }
        return svg_ ? topology_svg(topology) : topology_page(topology);
    }

    // To a file, which is never seen half written, or to standard output unless people would have to read it
    // there.
    Task<int> view(ShellContext& context) const {
        const Result<Topology> topology = read(context, first_);
        if (!topology) co_return context.fail(topology.error().message());
        const std::string text = page(context, *topology);
        const bool to_file = output_ && *output_ != "-";
        if (!output_ && context.terminal())
            co_return context.fail(
                "a page is nothing to read on a terminal: say where to write it, -o topology.html");
        if (!to_file) {
            co_await context.print(text);
            co_return 0;
        }
        if (const auto written = write_file_atomically(*output_, text); !written)
            co_return context.fail(written.error().message());
        co_return 0;
    }

    std::string first_ = std::string(TopologyValue::type_name);
    std::string second_ = std::string(TopologyValue::type_name);
    ComparisonPlan plan_;
    bool json_ = false, dot_ = false, newick_ = false, slurm_conf_ = false, slurm_yaml_ = false, svg_ = false;
    std::optional<std::string> output_;
    OptionSet* compare_ = nullptr;
    OptionSet* draw_ = nullptr;
    OptionSet* view_ = nullptr;
};

}  // namespace

CommandEntry topology_command() {
    return {"topology", "compare, draw or view topologies", make_command<TopologyCommand>};
}

}  // namespace trellis
