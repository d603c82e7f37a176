#include "plugins/rankmap/rankmap_options.hpp"

#include "agentd/model/host_range.hpp"
#include "agentd/model/rank_order.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace trellis::plugins::rankmap {
namespace {

constexpr std::array<std::string_view, 3> cost_names{"delay", "links", "bandwidth"};

// One of the names, since the option admits no other.
template <class Value, std::size_t count>
Value named(const std::array<std::string_view, count>& names, std::string_view name) {
    return static_cast<Value>(std::ranges::find(names, name) - names.begin());
}

template <std::size_t count>
std::vector<std::string> texts(const std::array<std::string_view, count>& names) {
    return {names.begin(), names.end()};
}

constexpr const char* footer =
    "PATTERN is ring, halo-2d, halo-3d, multipartition, all-to-all, binomial, or a file: a square matrix of "
    "what\n"
    "each rank sends to each other one, or one in Matrix Market's format.\n"
    "With --run the words behind the options are the program and its arguments:\n"
    "  rankmap --slots 2 --format openmpi --run ./solver input.dat";

}  // namespace

void RankmapOptions::declare(OptionSet& options) {
    options_ = &options;
    options.description("Place the ranks of an MPI program on the tree that infer has found");
    options.footer(footer);
    options.option("--slots", slots_text_, "ranks that a host takes: N, or HOST=N,... (default: 1)")
        .type_name("N|HOST=N,...");
    options.option("--np", ranks_number_, "how many ranks (default: those of the file, or every slot)")
        .between(1, static_cast<int>(most_ranks));
    options.option("--method", method_text_, "how they are placed (default: depth-first)")
        .one_of(texts(method_names));
    options.option("--pattern", pattern_, "what ranks say to one another (default, to compare by: ring)")
        .type_name("PATTERN");
    options
        .option("--cost", cost_text_, "of a path: its delay (the default), its links, or the time of a byte")
        .one_of(texts(cost_names));
    options.option("--seed", seed_, "of the methods that draw lots (default: 1)").type_name("N");
    options.option("--hosts", hosts_text_, "these of the topology (default: the selected ones)")
        .type_name("HOSTS");
    options.option("--format", format_text_, "whose file is written (default: text for people)")
        .one_of(texts(format_names));
    options.option("-o,--output", output_, "where it is written").type_name("FILE");
    options.flag("--run", run_, "start a program by it");
    options
        .option("--launcher", launcher_, "what starts it, with options of its own (default: mpirun or srun)")
        .type_name("COMMAND");
    options.flag("--json", json_, "the ranks and what each method makes of them, as JSON");
    options.prefix_command();
}

std::optional<std::string> RankmapOptions::complete() {
    program_ = options_->remaining();
    method_ = named<Method>(method_names, method_text_);
    measure_ = named<CostMeasure>(cost_names, cost_text_);
    if (json_ && !format_text_) format_text_ = "json";
    if (format_text_) format_ = named<Format>(format_names, *format_text_);
    if (ranks_number_) ranks_ = static_cast<std::size_t>(*ranks_number_);
    const Result<void> read = read_values();
    return read ? what_contradicts() : std::optional(read.error().message());
}

Result<void> RankmapOptions::read_values() {
    auto slots = read_slots(slots_text_);
    if (!slots) return invalid("--slots " + slots.error().message());
    slots_ = std::move(*slots);
    if (!hosts_text_) return {};
    auto hosts = expand_hosts(*hosts_text_);
    if (!hosts) return invalid("--hosts " + hosts.error().message());
    hosts_ = std::move(*hosts);
    return {};
}

std::optional<std::string> RankmapOptions::what_contradicts() const {
    if (method_ == Method::pattern && !pattern_) return "--method pattern needs a --pattern";
    if (json_ && format_ != Format::json) return "--json prints JSON: --format is for another file";
    if (!run_ && !program_.empty())
        return "'" + program_.front() + "' is no option; a program is started with --run";
    if (!run_ && !launcher_.empty()) return "--launcher is for --run";
    if (run_ && program_.empty()) return "--run: which program?";
    if (run_ && (!format_ || format_ == Format::json))
        return "--run needs a --format: openmpi, openmpi5, mpich or slurm";
    return std::nullopt;
}

}  // namespace trellis::plugins::rankmap
