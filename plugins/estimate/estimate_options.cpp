#include "plugins/estimate/estimate_options.hpp"

#include "agentd/model/host_range.hpp"
#include "plugins/estimate/option_text.hpp"
#include "plugins/estimate/text_fields.hpp"

#include <algorithm>
#include <array>

namespace trellis::plugins::estimate {
namespace {

Duration duration_of(double seconds) {
    return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(std::min(seconds, 1e8)));
}

}  // namespace

void EstimateOptions::declare(OptionSet& options) {
    options.description("Estimate how long a collective takes, from round-trip times that were recorded.");
    options.option("--from", from_, "a history of round-trip times, as `estimate record` makes it")
        .type_name("FILE");
    options.option("--model", model_, "distributions as given: HOST,MODEL,PARAMETERS a line")
        .type_name("FILE")
        .excludes("--from");
    options.option("--root", root_, "the host from which it starts (default: where FILE was recorded)")
        .type_name("HOST");
    options.option("--hosts", hosts_, "only these (default: all of FILE)").type_name("HOSTS");
    options.option("--method", method_, "how their latencies are foreseen (default: auto)")
        .one_of({"auto", "pareto", "normal", "last", "ewma", "empirical"});
    options.option("--window", window_, "from how many of the newest samples (default: 1024; ewma: 32)")
        .between(1, 100'000'000);
    options.flag("--across-shifts", question_.across_shifts, "also those before a level shift");
    options.option("--horizon", horizon_, "how far ahead (default: until the next sample)")
        .type_name("DURATION");
    options.option("--op", op_, "the collective (default: bcast)")
        .one_of({"bcast", "gather", "allreduce", "barrier"});
    options.option("--bytes", bytes_, "length of the message; needs bwtree").type_name("N");
    options.option("--algorithm", algorithm_, "how it is carried out (default: one-stage)")
        .one_of({"one-stage", "binomial", "chain", "tree"});
    options.option("--quantile", quantiles_, "which ones (default: 0.5,0.95,0.99)").type_name("Q,...");
    options.option("--c", c_, "ms added to each latency: MS, or HOST=MS,...").type_name("MS");
    options.option("--unit", unit_, "of the round-trip times in FILE (default: ms)")
        .one_of({"ms", "us", "s"});
    options.flag("--closed-form", question_.closed_form, "by inclusion and exclusion, up to 12 hosts")
        .excludes("--quantile");
    options.flag("--published-truncation", question_.published,
                 "where alpha <= 1, only end the integral, as the source does");
    options.flag("--independent", question_.independent, "take no notice of links that hosts share");
    options.flag("--json", json_, "as JSON");
    declare_evaluate(options);
    declare_record(options);
    options.subcommands_optional();
}

void EstimateOptions::declare_evaluate(OptionSet& options) {
    evaluate_ = &options.subcommand("evaluate", "how far off each method would have been");
    evaluate_->option("file", file_, "a history of round-trip times").type_name("FILE").required();
    evaluate_->option("--windows", windows_, "samples to look at (default: 2,4,...,1024)").type_name("M,...");
    evaluate_->option("--horizons", horizons_, "samples ahead (default: 1,2,4,...,256,360)")
        .type_name("TAU,...");
    evaluate_
        ->option("--skip", skip_, "samples before the first that is scored (default: the longest window)")
        .type_name("N");
    evaluate_->option("--root", root_, "the host from which it starts").type_name("HOST");
    evaluate_->option("--hosts", hosts_, "only these").type_name("HOSTS");
    evaluate_->option("--unit", unit_, "of the round-trip times in FILE (default: ms)")
        .one_of({"ms", "us", "s"});
    evaluate_->option("--plot", plot_, "also draw this picture").type_name("FILE.svg");
    evaluate_->flag("--json", json_, "as JSON");
}

void EstimateOptions::declare_record(OptionSet& options) {
    record_ = &options.subcommand("record", "append the round-trip times to the selected hosts to a file");
    record_->option("file", file_, "made if there is none").type_name("FILE").required();
    record_->option("--interval", interval_, "from one sample to the next (default: 1s)")
        .type_name("DURATION");
    record_->option("--for", length_, "how long (default: until Ctrl-C)").type_name("DURATION");
    record_->option("--root", root_, "from this host (default: the first one selected)").type_name("HOST");
    record_->flag("--between-all", all_pairs_, "from each selected host to each other one");
}

std::optional<std::string> EstimateOptions::complete() {
    const Result<void> read = evaluates() ? read_evaluation()
                              : records() ? read_recording()
                                          : read_question();
    return read ? std::nullopt : std::optional(read.error().message());
}

Result<void> EstimateOptions::read_c() {
    if (!c_) return {};
    for (const std::string& part : parts_of(*c_)) {
        const std::size_t equals = part.find('=');
        const std::string text = equals == std::string::npos ? part : part.substr(equals + 1);
        const auto ms = finite_number(text);
        if (!ms || *ms < 0) return invalid("--c " + *c_ + ": '" + text + "' is no number of milliseconds");
        if (equals == std::string::npos)
            question_.c = *ms;
        else
            question_.own_c[part.substr(0, equals)] = *ms;
    }
    return {};
}

Result<void> EstimateOptions::read_question() {
    if (!from_ && !model_)
        return invalid("--from FILE or --model FILE is needed (estimate record makes such a history)");
    if (model_ && (method_ != "auto" || window_ || horizon_ || question_.across_shifts))
        return invalid(
            "--model fits nothing: --method, --window, --horizon and --across-shifts are not for it");
    if (method_ == "auto" && (window_ || question_.across_shifts))
        return invalid("the automatic method has windows of its own: name a --method");
    if (hosts_) {
        auto hosts = expand_hosts(*hosts_);
        if (!hosts) return hosts.error();
        question_.hosts = std::move(*hosts);
    }
    question_.root = root_;
    for (std::size_t place = 0; place < method_count; ++place)
        if (method_ == method_name(static_cast<Method>(place))) question_.method = static_cast<Method>(place);
    if (window_) question_.window = static_cast<std::size_t>(*window_);
    if (horizon_) {
        const Result<double> seconds = read_seconds(*horizon_);
        if (!seconds) return invalid("--horizon: " + seconds.error().cause);
        question_.horizon_seconds = *seconds;
    }
    constexpr std::array<std::string_view, 4> algorithms{"one-stage", "binomial", "chain", "tree"};
    question_.algorithm =
        static_cast<Algorithm>(std::ranges::find(algorithms, algorithm_) - algorithms.begin());
    question_.rounds = op_ == "allreduce" || op_ == "barrier" ? 2 : 1;
    if (bytes_) {
        const Result<double> bytes = read_bytes(*bytes_);
        if (!bytes) return bytes.error();
        question_.bytes = *bytes;
    }
    question_.quantiles.clear();
    for (const std::string& part : parts_of(quantiles_)) {
        const auto q = finite_number(part);
        if (!q || !(*q > 0 && *q < 1))
            return invalid("--quantile " + quantiles_ + ": '" + part + "' is not between 0 and 1");
        question_.quantiles.push_back(*q);
    }
    if (question_.closed_form) question_.quantiles.clear();
    return read_c();
}

Result<void> EstimateOptions::read_evaluation() {
    const auto windows = read_series(windows_), horizons = read_series(horizons_);
    if (!windows) return invalid("--windows: " + windows.error().cause);
    if (!horizons) return invalid("--horizons: " + horizons.error().cause);
    evaluation_ = {*windows, *horizons, 0};
    from_ = file_;
    question_.root = root_;
    if (hosts_) {
        auto hosts = expand_hosts(*hosts_);
        if (!hosts) return hosts.error();
        question_.hosts = std::move(*hosts);
    }
    if (!skip_) return {};
    const auto skip = finite_number(*skip_);
    if (!skip || *skip < 0 || *skip > 1e12) return invalid("--skip " + *skip_ + ": no number of samples");
    evaluation_.skip = static_cast<std::size_t>(*skip);
    return {};
}

Result<void> EstimateOptions::read_recording() {
    const Result<double> interval = read_seconds(interval_);
    if (!interval || *interval < 0.01) return invalid("--interval " + interval_ + ": at least 10ms");
    recording_ = {file_, duration_of(*interval), {}, all_pairs_};
    question_.root = root_;
    if (!length_) return {};
    const Result<double> length = read_seconds(*length_);
    if (!length) return invalid("--for: " + length.error().cause);
    recording_.length = duration_of(*length);
    return {};
}

double EstimateOptions::ms_per_unit() const {
    return unit_ == "us" ? 1e-3 : unit_ == "s" ? 1e3 : 1;
}

}  // namespace trellis::plugins::estimate
