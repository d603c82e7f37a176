#include "plugins/estimate/model/model_file.hpp"

#include "plugins/estimate/text_fields.hpp"

#include <array>
#include <set>

namespace trellis::plugins::estimate {
namespace {

constexpr std::size_t most_model_bytes = std::size_t{16} << 20;

struct Form {
    std::string_view name;
    std::size_t parameters;
    Shape (*make)(const std::array<double, 3>&);
};
constexpr std::array forms{
    Form{"pareto", 2,
         [](const std::array<double, 3>& p) {
             return Shape(Pareto{p[0], p[1]});
         }},
    Form{"normal", 2,
         [](const std::array<double, 3>& p) {
             return Shape(Normal{p[0], p[1]});
         }},
    Form{"unit", 1, [](const std::array<double, 3>& p) { return Shape(UnitMass{p[0]}); }},
    Form{"truncated", 3, [](const std::array<double, 3>& p) {
             return Shape(TruncatedPareto{p[0], p[1], p[2]});
         }}};

Result<Shape> shape_of(const TextLine& line) {
    for (const Form& form : forms) {
        if (line.fields[1] != form.name) continue;
        std::size_t given = line.fields.size();
        while (given > 2 && line.fields[given - 1].empty())
            --given;
        if (given != form.parameters + 2)
            return wrong_line(line.number, std::string(form.name) + " takes " +
                                               std::to_string(form.parameters) + " parameters");
        std::array<double, 3> parameters{};
        for (std::size_t place = 0; place < form.parameters; ++place) {
            const auto number = finite_number(line.fields[place + 2]);
            if (!number) return wrong_field(line.number, place + 3, "no number");
            parameters[place] = *number;
        }
        return form.make(parameters);
    }
    return wrong_field(
        line.number, 2,
        "'" + std::string(line.fields[1]) + "' is no model: pareto, normal, unit or truncated");
}

}  // namespace

Result<std::vector<NamedDistribution>> parse_model(std::string_view text) {
    std::vector<NamedDistribution> hosts;
    std::set<std::string_view> seen;
    for (const TextLine& line : lines_of_fields(text)) {
        if (line.fields.size() < 2) return wrong_line(line.number, "HOST,MODEL,PARAMETERS is expected");
        if (hosts.empty() && line.fields[0] == "host" && line.fields[1] == "model") continue;
        if (!seen.insert(line.fields[0]).second) return wrong_line(line.number, "this host comes twice");
        const Result<Shape> shape = shape_of(line);
        if (!shape) return shape.error();
        hosts.push_back({std::string(line.fields[0]), {*shape}});
        if (const Result<void> valid = validate(hosts.back().distribution); !valid)
            return wrong_line(line.number, valid.error().cause);
    }
    if (hosts.empty()) return invalid("no line: HOST,MODEL,PARAMETERS is expected");
    return hosts;
}

Result<std::vector<NamedDistribution>> read_model(const std::string& path) {
    const Result<std::string> text = read_text_file(path, most_model_bytes);
    if (!text) return text.error();
    auto hosts = parse_model(*text);
    if (!hosts) return invalid(path + ": " + hosts.error().cause);
    return hosts;
}

}  // namespace trellis::plugins::estimate
