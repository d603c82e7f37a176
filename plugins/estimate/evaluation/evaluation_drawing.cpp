#include "plugins/estimate/evaluation/evaluation_drawing.hpp"

#include "agentd/model/svg_elements.hpp"
#include "plugins/estimate/model/fit.hpp"
#include "plugins/estimate/report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace trellis::plugins::estimate {
namespace {

constexpr double width = 460, height = 260, margin = 60;
constexpr std::array colours{"#1b6ca8", "#c8553d", "#3a7d44", "#7b5ea7", "#a0760c", "#222222"};

using Points = std::vector<std::pair<double, double>>;

struct Curve {
    std::string name;
    Points points;
};

struct Axis {
    std::string name;
    bool logarithmic = false;
};

// Curves over two axes that just hold them.
class Panel {
  public:
    Panel(std::string title, Axis x, Axis y, std::vector<Curve> curves)
        : title_(std::move(title)), x_(std::move(x)), y_(std::move(y)), curves_(std::move(curves)) {}

    [[nodiscard]] std::string svg(double left, double top) {
        measure();
        std::string text = "<g transform=\"translate(" + svg_number(left) + "," + svg_number(top) + ")\">\n";
        text += "<rect" + svg_attributes({{"width", width}, {"height", height}}) +
                " fill=\"none\" stroke=\"#888\"/>\n";
        text += label(width / 2, -10, "middle", title_);
        text += label(width / 2, height + 34, "middle", x_.name);
        text += label(0, height + 16, "start", figures(low_x_)) +
                label(width, height + 16, "end", figures(high_x_));
        text += label(-6, height, "end", figures(low_y_)) + label(-6, 10, "end", figures(high_y_));
        text += label(-6, height / 2, "end", y_.name);
        for (std::size_t number = 0; number < curves_.size(); ++number)
            text += line(number);
        return text + "</g>\n";
    }

  private:
    void measure() {
        for (const Curve& curve : curves_)
            for (const auto& [x, y] : curve.points) {
                low_x_ = std::min(low_x_, x);
                high_x_ = std::max(high_x_, x);
                low_y_ = std::min(low_y_, y);
                high_y_ = std::max(high_y_, y);
            }
    }
    [[nodiscard]] static double share(double value, double low, double high, bool logarithmic) {
        if (!(high > low)) return 0.5;
        return logarithmic ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
    }
    [[nodiscard]] static std::string label(double x, double y, const char* anchor, const std::string& text) {
        return "<text" + svg_attributes({{"x", x}, {"y", y}}) + " text-anchor=\"" + anchor + "\">" +
               xml_text(text) + "</text>\n";
    }
    [[nodiscard]] std::string line(std::size_t number) const {
        const Curve& curve = curves_[number];
        const std::string colour = colours[number % colours.size()];
        std::string text = "<polyline fill=\"none\" stroke=\"" + colour + "\" points=\"";
        for (const auto& [x, y] : curve.points)
            text += svg_number(width * share(x, low_x_, high_x_, x_.logarithmic)) + "," +
                    svg_number(height * (1 - share(y, low_y_, high_y_, y_.logarithmic))) + " ";
        return text + "\"/>\n<g fill=\"" + colour + "\">" +
               label(width - 8, 18 + 15 * static_cast<double>(number), "end", curve.name) + "</g>\n";
    }

    std::string title_;
    Axis x_, y_;
    std::vector<Curve> curves_;
    double low_x_ = std::numeric_limits<double>::infinity(), high_x_ = -low_x_;
    double low_y_ = std::numeric_limits<double>::infinity(), high_y_ = -low_y_;
};

// Its greatest values, where there are more than can be seen.
Points thinned_maxima(const History& filled) {
    constexpr std::size_t most_points = 920;
    const std::vector<double> maxima = row_maxima(filled);
    const std::size_t step = std::max<std::size_t>(1, maxima.size() / most_points);
    Points points;
    for (std::size_t row = 0; row < maxima.size(); row += step) {
        const auto first = maxima.begin() + static_cast<std::ptrdiff_t>(row);
        const auto last = first + static_cast<std::ptrdiff_t>(std::min(step, maxima.size() - row));
        points.emplace_back(filled.times[row] - filled.times[0], *std::max_element(first, last));
    }
    return points;
}

const std::vector<double>& slowest(const History& filled) {
    return *std::ranges::max_element(filled.round_trips, {}, [](const std::vector<double>& column) {
        return std::accumulate(column.begin(), column.end(), 0.0);
    });
}

Points survival_points(const Shape& shape, double low, double high, double least) {
    constexpr int steps = 200;
    Points points;
    for (int step = 0; step <= steps; ++step) {
        const double x = low * std::pow(high / low, static_cast<double>(step) / steps);
        const double more = survival({shape}, x);
        if (more >= least) points.emplace_back(x, more);
    }
    return points;
}

// The share of time in equal parts of the range.
Points share_points(const Shape& shape, double low, double high) {
    constexpr int parts = 60;
    Points points;
    const double step = (high - low) / parts;
    for (int part = 0; part < parts; ++part) {
        const double from = low + part * step;
        points.emplace_back(from + step / 2, survival({shape}, from) - survival({shape}, from + step));
    }
    return points;
}

std::vector<Curve> error_curves(const ErrorTable& table) {
    std::vector<Curve> curves;
    const auto& cells = table.cells[static_cast<std::size_t>(Condition::any)];
    for (std::size_t choice = 0; choice < cells.size(); ++choice) {
        const std::string name(method_name(table.choices[choice].method));
        if (curves.empty() || curves.back().name != name) curves.push_back({name, {}});
        Points& points = curves.back().points;
        points.resize(table.horizons.size(), {0, std::numeric_limits<double>::infinity()});
        for (std::size_t place = 0; place < points.size(); ++place)
            points[place] = {static_cast<double>(table.horizons[place]),
                             std::min(points[place].second, cells[choice][place].rmse)};
    }
    Curve automatic{"auto", {}};
    for (std::size_t place = 0; place < table.horizons.size(); ++place)
        automatic.points.emplace_back(static_cast<double>(table.horizons[place]),
                                      table.automatic[place].rmse);
    curves.push_back(std::move(automatic));
    return curves;
}

}  // namespace

std::string evaluation_svg(const History& filled, const ErrorTable& table) {
    const std::vector<double>& column = slowest(filled);
    const double low = std::ranges::min(column), high = std::max(std::ranges::max(column), low * 1.0001);
    const double least = 0.5 / static_cast<double>(column.size());
    const Shape shapes[] = {fit_empirical(column).shape, fit_pareto(column).shape, fit_normal(column).shape};
    const char* names[] = {"observed", "Pareto", "normal"};
    std::vector<Curve> survivals, shares;
    for (std::size_t which = 0; which < std::size(shapes); ++which) {
        survivals.push_back({names[which], survival_points(shapes[which], low, high, least)});
        shares.push_back({names[which], share_points(shapes[which], low, high)});
    }
    const double right = width + 2 * margin + 30, below = height + 2 * margin;
    std::string text =
        "<svg xmlns=\"http://www.w3.org/2000/svg\"" +
        svg_attributes({{"width", right + width + 2 * margin}, {"height", 2 * below + margin}}) +
        " font-family=\"sans-serif\" font-size=\"12\">\n";
    text += Panel("Greatest round trip of all hosts", {"s"}, {"ms"}, {{"observed", thinned_maxima(filled)}})
                .svg(margin, margin);
    text += Panel("Fits to the slowest host", {"ms"}, {"share"}, std::move(shares)).svg(right, margin);
    text += Panel("Its survival function", {"ms", true}, {"P", true}, std::move(survivals))
                .svg(margin, margin + below);
    text += Panel("Least error of any window", {"samples ahead", true}, {"RMSE, ms"}, error_curves(table))
                .svg(right, margin + below);
    return text + "</svg>\n";
}

}  // namespace trellis::plugins::estimate
