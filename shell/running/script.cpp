#include "shell/running/script.hpp"

#include "shell/hosts/news_watch.hpp"
#include "shell/language/command_line.hpp"

#include <optional>
#include <utility>

#include <boost/asio/this_coro.hpp>

namespace trellis {
namespace {

constexpr int status_reader_left = 141;  // as of a process that SIGPIPE has ended

struct LogicalLine {
    std::string text;
    int first = 0;  // number of its first line
};

// Lines that belong together: quotes and parentheses that span lines, backslashes at their ends.
Task<std::optional<LogicalLine>> next_logical_line(LineSource& lines, int& number) {
    std::optional<std::string> line = co_await lines.next();
    if (!line) co_return std::nullopt;
    LogicalLine whole{std::move(*line), ++number};
    while (needs_another_line(whole.text)) {
        line = co_await lines.next();
        if (!line) break;
        ++number;
        whole.text += "\n" + *line;
    }
    co_return whole;
}

// The status with which the script ends here, if it does.
std::optional<int> ends_with(const LineResult& result, const Seat& seat, int failure) {
    if (result.reader_left) return status_reader_left;
    if (result.interrupted || result.malformed) return result.status;
    if (result.quit) return result.quit_status.value_or(failure);
    if (seat.stop_on_error && result.failure != 0) return failure;
    return std::nullopt;
}

// Lines until the script ends; the status with which it does.
Task<int> run_lines(Interpreter& interpreter, LineSource& lines, const Seat& seat,
                    const ScriptSettings& settings) {
    int number = 0;
    int failure = 0;
    for (;;) {
        const std::optional<LogicalLine> line = co_await next_logical_line(lines, number);
        if (!line) co_return failure;
        std::string origin;
        if (!settings.name.empty()) origin = settings.name + ":" + std::to_string(line->first) + ": ";
        const LineResult result = co_await interpreter.run_line(line->text, origin);
        if (result.failure != 0) failure = result.failure;
        const std::optional<int> end = ends_with(result, seat, failure);
        if (end) co_return *end;
    }
}

}  // namespace

Task<int> run_script(Interpreter& interpreter, LineSource& lines, Console& console, Seat& seat,
                     HostNews& news, ScriptSettings settings) {
    const Executor executor = co_await asio::this_coro::executor;
    const NewsWatch watch(executor, interpreter.session(), seat, news, [] {});
    interpreter.after_statements([&console, &seat, &news] {
        for (const std::string& text : news.take(seat.outcomes()))
            console.say(text);
    });
    seat.stop_on_error = settings.stop_on_error;
    const int status = co_await run_lines(interpreter, lines, seat, settings);
    co_await interpreter.jobs().end_all();
    co_return status;
}

}  // namespace trellis
