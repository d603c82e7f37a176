#include "plugins/infer/infer_options.hpp"

#include "agentd/model/topology_dot.hpp"
#include "agentd/model/topology_json.hpp"
#include "agentd/model/topology_newick.hpp"
#include "agentd/model/topology_text.hpp"

#include <charconv>
#include <random>

namespace trellis::plugins::infer {
namespace {

std::optional<double> number_of(const std::string& text) {
    double number = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc() || rest != end) return std::nullopt;
    return number;
}

}  // namespace

void InferOptions::declare(OptionSet& options) {
    options.description("Find the tree of switches between the selected hosts from round-trip times.");
    options.flag("--json", json_, "print the topology as JSON");
    options.flag("--dot", dot_, "print it for Graphviz");
    options.flag("--newick", newick_, "print it in Newick format");
    options.option("--seed", seed_, "seed of all that is drawn by lot (default: drawn anew)");
    options.option("--method", method_, "how: survey (the default) or published (Shirai 2007)")
        .one_of({"default", "survey", "published"});
    options.option("--confidence", confidence_, "survey: how sure a link must be to be drawn (0.99)")
        .type_name("P");
    options.flag("--gentle", gentle_, "survey: at most 200 probes a second from one host");
    options.option("--rtt", rtt_file_, "of the hosts of this file, from its round-trip times (ms)")
        .type_name("FILE");
    options.flag("--anew", anew_, "measure all hosts, whatever is known of some of them");
    options.flag("--verify", verify_, "only say whether the topology still holds, by a few pairs")
        .excludes("--anew");
    options
        .option("--watch", watch_, "verify every so many seconds (10), and find what changed, until Ctrl-C")
        .type_name("SECONDS")
        .words(0, 1)
        .excludes("--verify");
}

std::optional<std::string> InferOptions::complete() {
    if (auto wrong = contradiction()) return wrong;
    survey_.seed = seed_ != 0 ? seed_ : std::random_device()();
    survey_.gentle = gentle_;
    if (auto wrong = read_confidence()) return wrong;
    return read_interval();
}

std::optional<std::string> InferOptions::contradiction() const {
    const bool tuned = gentle_ || confidence_;
    if (rtt_file_ && (tuned || seed_ != 0 || method_ != "default"))
        return "--rtt measures nothing: --method, --confidence, --gentle and --seed are not for it";
    if (rtt_file_ && (anew_ || verify_ || watch_))
        return "--rtt measures nothing: --anew, --verify and --watch are not for it";
    if (method() == Method::published && (tuned || verify_ || watch_))
        return "--gentle, --confidence, --verify and --watch are not for the published method";
    return std::nullopt;
}

std::optional<std::string> InferOptions::read_confidence() {
    if (!confidence_) return std::nullopt;
    const std::optional<double> number = number_of(*confidence_);
    if (!number || !(*number > 0 && *number < 1))
        return "--confidence " + *confidence_ + ": not a probability between 0 and 1";
    survey_.confidence = *number;
    return std::nullopt;
}

std::optional<std::string> InferOptions::read_interval() {
    if (!watch_ || watch_->empty()) return std::nullopt;
    const std::optional<double> seconds = number_of(*watch_);
    if (!seconds || !(*seconds >= 0.1 && *seconds <= 1e6))
        return "--watch " + *watch_ + ": not a number of seconds";
    interval_ = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(*seconds));
    return std::nullopt;
}

std::string InferOptions::render(const Topology& topology) const {
    if (json_) return topology_file(topology);
    if (dot_) return topology_dot(topology);
    if (newick_) return topology_newick(topology);
    return topology_text(topology);
}

}  // namespace trellis::plugins::infer
