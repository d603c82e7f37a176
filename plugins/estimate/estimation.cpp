#include "plugins/estimate/estimation.hpp"

#include "agentd/model/topology_query.hpp"
#include "plugins/estimate/collective/shared_links.hpp"
#include "plugins/estimate/forecast/auto_choice.hpp"
#include "plugins/estimate/forecast/bootstrap.hpp"
#include "plugins/estimate/model/closed_form.hpp"
#include "plugins/estimate/model/maximum.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace trellis::plugins::estimate {
namespace {

constexpr std::size_t usual_window = 1024, usual_ewma_window = 32;

std::size_t samples_of(double seconds, double interval) {
    return static_cast<std::size_t>(std::max(1.0, std::min(1e9, std::round(seconds / interval))));
}

}  // namespace

Result<Answer> Estimation::of_history(const History& history) {
    if (question_.root.empty()) question_.root = only_root(history);
    const Result<History> selected = select_columns(history, question_.root, question_.hosts);
    if (!selected) return selected.error();
    FilledHistory filled = fill_lost(*selected);
    for (const std::string& host : filled.silent)
        answer_.remarks.push_back(host + ": every sample was lost; it is left out");
    if (filled.history.columns.empty()) return invalid("every sample was lost");
    history_ = &history;
    choice_ = choose(filled.history);
    answer_.how = choice_text(choice_);
    describe_hosts(filled.history, forecast_hosts(filled.history, filled.history.rows(), choice_));
    const bool splits = question_.algorithm == Algorithm::one_stage && choice_.method != Method::last;
    if (splits && !question_.independent) share_links(filled.history);
    if (const Result<void> computed = compute(); !computed) return computed.error();
    if (!answer_.standard_error) bootstrap(filled.history);
    return answer_;
}

Result<Answer> Estimation::of_model(const std::vector<NamedDistribution>& hosts) {
    for (const auto& [name, distribution] : hosts) {
        const bool asked =
            question_.hosts.empty() || std::ranges::find(question_.hosts, name) != question_.hosts.end();
        if (!asked || name == question_.root) continue;
        Distribution moved = distribution;
        moved.c = question_.c_of(name);
        answer_.hosts.push_back({name, moved, "given", 0, 0, {}, {}});
    }
    for (const std::string& host : question_.hosts)
        if (std::ranges::find(hosts, host, &NamedDistribution::host) == hosts.end())
            return invalid("no distribution for host " + host);
    if (answer_.hosts.empty()) return invalid("no hosts but the root");
    answer_.how = "distributions as given";
    if (const Result<void> computed = compute(); !computed) return computed.error();
    return answer_;
}

Choice Estimation::choose(const History& filled) {
    if (!question_.method) {
        const AutoForecast chosen =
            choose_automatically(filled, samples_of(question_.horizon_seconds, filled.interval()));
        answer_.why = chosen.reason;
        return chosen.choice;
    }
    const bool shifts = *question_.method != Method::ewma && *question_.method != Method::last;
    const std::size_t usual = *question_.method == Method::ewma ? usual_ewma_window : usual_window;
    return {*question_.method, question_.window.value_or(usual), shifts && !question_.across_shifts};
}

void Estimation::describe_hosts(const History& filled, const std::vector<HostForecast>& forecast) {
    for (std::size_t host = 0; host < forecast.size(); ++host) {
        const HostForecast& own = forecast[host];
        const std::string& name = filled.columns[host];
        const auto used = std::span(filled.round_trips[host]).last(own.used);
        Answer::OfHost row{name,
                           {own.fit.shape, question_.c_of(name)},
                           std::string(fit_case_text(own.fit.fit_case)),
                           own.used,
                           own.skipped,
                           {},
                           {}};
        if (own.used > 1) {
            row.pareto_goodness = goodness_of_fit(used, fit_pareto(used).shape);
            row.normal_goodness = goodness_of_fit(used, fit_normal(used).shape);
        }
        answer_.hosts.push_back(std::move(row));
    }
}

bool Estimation::in_topology() const {
    if (topology_ == nullptr || !find_node(*topology_, question_.root)) return false;
    return std::ranges::all_of(answer_.hosts, [&](const Answer::OfHost& host) {
        return find_node(*topology_, host.name).has_value();
    });
}

// The hosts' own distributions then lack what is shared.
void Estimation::share_links(const History& filled) {
    if (!in_topology()) return;
    History window = filled;
    const std::size_t reach = std::min(filled.rows(), choice_.window);
    window.times.erase(window.times.begin(), window.times.end() - static_cast<std::ptrdiff_t>(reach));
    for (std::vector<double>& column : window.round_trips)
        column.erase(column.begin(), column.end() - static_cast<std::ptrdiff_t>(reach));
    const SharedParts parts = split_shared(window, *topology_, question_.root);
    shared_of_.resize(filled.columns.size());
    for (const SharedLink& link : parts.links) {
        if (std::ranges::max(link.excess) <= 0) continue;
        for (const std::size_t host : link.hosts)
            shared_of_[host].push_back(shared_.size());
        shared_.push_back({fit_empirical(link.excess).shape});
        answer_.remarks.push_back("the link to " + link.behind + " is shared by " +
                                  std::to_string(link.hosts.size()) + " hosts: its latency counts once");
    }
    if (shared_.empty()) return;
    const auto forecast = forecast_hosts(parts.own, reach, choice_);
    for (std::size_t host = 0; host < forecast.size(); ++host)
        answer_.hosts[host].distribution.shape = forecast[host].fit.shape;
}

std::vector<Distribution> Estimation::distributions() const {
    std::vector<Distribution> all;
    std::ranges::transform(answer_.hosts, std::back_inserter(all), &Answer::OfHost::distribution);
    return all;
}

Result<void> Estimation::compute() {
    const bool at_once =
        question_.algorithm == Algorithm::one_stage && question_.bytes == 0 && shared_.empty();
    if (question_.closed_form && !at_once)
        return invalid("--closed-form is for one stage of short messages to independent hosts");
    if (at_once)
        if (Result<void> computed = compute_at_once(); !computed || question_.rounds == 1) return computed;
    const Result<Collective> drawn = collective();
    if (!drawn) return drawn.error();
    return compute_by_lot(*drawn);
}

Result<double> Estimation::expectation(const std::vector<Distribution>& hosts) const {
    if (question_.closed_form) return closed_form_expectation(hosts);
    if (question_.published) return published_expectation(hosts);
    return Maximum(hosts).expectation();
}

// Exactly; quantiles only of one round.
Result<void> Estimation::compute_at_once() {
    const std::vector<Distribution> hosts = distributions();
    const Result<double> expected = expectation(hosts);
    if (!expected) return expected.error();
    answer_.expected = static_cast<double>(question_.rounds) * *expected;
    const Maximum maximum(hosts);
    if (question_.rounds == 1)
        for (const double q : question_.quantiles)
            answer_.quantiles.push_back({q, maximum.quantile(q), {}});
    return {};
}

Result<void> Estimation::compute_by_lot(const Collective& collective) {
    for (const Distribution& host : distributions())
        if (std::isinf(mean_time(host))) return invalid("the expectation diverges: alpha is not above 1");
    const std::vector<double> taken = simulate(collective);
    const auto count = static_cast<double>(taken.size());
    const double mean = std::accumulate(taken.begin(), taken.end(), 0.0) / count;
    double squares = 0;
    for (const double time : taken)
        squares += (time - mean) * (time - mean);
    if (answer_.expected == 0) {
        answer_.expected = mean;
        answer_.standard_error = std::sqrt(squares / (count - 1) / count);
    }
    for (const double q : question_.quantiles)
        answer_.quantiles.push_back({q, taken[static_cast<std::size_t>(q * count)], {}});
    return {};
}

void Estimation::bootstrap(const History& filled) {
    const auto estimate_of = [&](const std::vector<Distribution>& hosts) { return expectation(hosts); };
    std::vector<double> cs(answer_.hosts.size());
    std::ranges::transform(answer_.hosts, cs.begin(),
                           [](const Answer::OfHost& host) { return host.distribution.c; });
    const std::vector<double>& q = question_.quantiles;
    const auto intervals = bootstrap_intervals(
        filled, choice_, cs, question_.rounds == 1 ? q : std::vector<double>(), estimate_of);
    if (intervals.empty()) return;
    const auto rounds = static_cast<double>(question_.rounds);
    answer_.interval = Interval{rounds * intervals[0].low, rounds * intervals[0].high};
    for (std::size_t place = 1; place < intervals.size(); ++place)
        answer_.quantiles[place - 1].interval = intervals[place];
}

}  // namespace trellis::plugins::estimate
