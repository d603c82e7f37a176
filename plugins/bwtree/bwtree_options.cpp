#include "plugins/bwtree/bwtree_options.hpp"

#include <charconv>
#include <string_view>

namespace trellis::plugins::bwtree {

std::optional<std::uint64_t> bytes_in(const std::string& text) {
    double number = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc()) return std::nullopt;
    const std::string_view unit(rest, static_cast<std::size_t>(end - rest));
    double factor = 1;
    for (const std::string_view known : {"", "k", "M", "G", "T"}) {
        if (unit == known) {
            const double bytes = number * factor;
            if (!(bytes >= 1 && bytes < 1e18)) return std::nullopt;
            return static_cast<std::uint64_t>(bytes);
        }
        factor *= 1000;
        if (known.empty()) factor = 1000;
    }
    return std::nullopt;
}

void BwtreeOptions::declare(OptionSet& options) {
    options.description("Measure the bandwidth of every link of the tree that infer found");
    options.option("query", query_, "query A B: between two hosts, of what has been measured")
        .words(0, 3)
        .type_name("query A B");
    options.option("--method", method_, "how: default, or published (Shirai 2007)")
        .one_of({"default", "published"});
    options.flag("--plan", plan_, "measure nothing: say how much would be sent");
    options.option("--budget", budget_text_, "send at most so many bytes in all, such as 1G")
        .type_name("BYTES");
    options.flag("--json", json_, "print the result as JSON");
}

std::optional<std::string> BwtreeOptions::complete() {
    if (!query_.empty()) {
        if (query_.size() != 3 || query_.front() != "query") return "expected: bwtree query HOST HOST";
        if (plan_ || budget_text_ || published()) return "query measures nothing: only --json is for it";
        query_.erase(query_.begin());
    }
    if (!budget_text_) return std::nullopt;
    const auto bytes = bytes_in(*budget_text_);
    if (!bytes) return "--budget " + *budget_text_ + ": not a number of bytes such as 500M or 1G";
    budget_ = *bytes;
    return std::nullopt;
}

}  // namespace trellis::plugins::bwtree
