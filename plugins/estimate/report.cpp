#include "plugins/estimate/report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <nlohmann/json.hpp>

namespace trellis::plugins::estimate {
namespace {

using nlohmann::json;

std::string interval_text(const std::optional<Interval>& interval) {
    if (!interval) return "";
    return " (95%: " + figures(interval->low) + " to " + figures(interval->high) + ")";
}

json interval_json(const std::optional<Interval>& interval) {
    return interval ? json{interval->low, interval->high} : json();
}

json number_or_null(const std::optional<double>& number) {
    return number && std::isfinite(*number) ? json(*number) : json();
}

// JSON has no infinity.
json parameter(double value) {
    return std::isfinite(value) ? json(value) : json();
}

json distribution_json(const Distribution& distribution) {
    json out{{"model", shape_name(distribution.shape)}, {"c", distribution.c}};
    if (const auto* pareto = std::get_if<Pareto>(&distribution.shape))
        out.update({{"k", pareto->k}, {"alpha", pareto->alpha}});
    else if (const auto* normal = std::get_if<Normal>(&distribution.shape))
        out.update({{"mu", normal->mu}, {"sigma", normal->sigma}});
    else if (const auto* unit = std::get_if<UnitMass>(&distribution.shape))
        out["k"] = unit->k;
    else if (const auto* cut = std::get_if<TruncatedPareto>(&distribution.shape))
        out.update({{"k", cut->k}, {"alpha", cut->alpha}, {"x0", parameter(cut->x0)}});
    return out;
}

}  // namespace

std::string figures(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.5g", value);
    return text;
}

std::string answer_text(const Answer& answer) {
    std::string text = "expected " + figures(answer.expected) + " ms" + interval_text(answer.interval);
    if (answer.standard_error) text += ", drawn by lot, standard error " + figures(*answer.standard_error);
    text += "\n";
    for (const Answer::Quantile& quantile : answer.quantiles)
        text += figures(100 * quantile.q) + "% within " + figures(quantile.time) + " ms" +
                interval_text(quantile.interval) + "\n";
    text += answer.how + (answer.why.empty() ? "" : " (" + answer.why + ")") + "\n";
    std::size_t width = 0;
    for (const Answer::OfHost& host : answer.hosts)
        width = std::max(width, host.name.size());
    for (const Answer::OfHost& host : answer.hosts) {
        text += "  " + host.name + std::string(width - host.name.size(), ' ') + "  " +
                distribution_text(host.distribution);
        if (host.fit_case != "regular") text += "  " + host.fit_case;
        if (host.skipped > 0) text += "  after a level shift: m = " + std::to_string(host.used);
        text += "\n";
    }
    return text;
}

json answer_json(const Answer& answer) {
    json quantiles = json::array(), hosts = json::array();
    for (const Answer::Quantile& quantile : answer.quantiles)
        quantiles.push_back(
            {{"q", quantile.q}, {"time", quantile.time}, {"interval", interval_json(quantile.interval)}});
    for (const Answer::OfHost& host : answer.hosts) {
        json row{{"host", host.name}, {"case", host.fit_case}};
        row["distribution"] = distribution_json(host.distribution);
        if (host.used > 0)
            row.update({{"observations", host.used},
                        {"before_shift", host.skipped},
                        {"goodness",
                         {{"pareto", number_or_null(host.pareto_goodness)},
                          {"normal", number_or_null(host.normal_goodness)}}}});
        hosts.push_back(std::move(row));
    }
    return {{"expected", parameter(answer.expected)},
            {"unit", "ms"},
            {"interval", interval_json(answer.interval)},
            {"standard_error", number_or_null(answer.standard_error)},
            {"quantiles", std::move(quantiles)},
            {"method", answer.how},
            {"reason", answer.why},
            {"hosts", std::move(hosts)},
            {"remarks", answer.remarks}};
}

}  // namespace trellis::plugins::estimate
