#include "shell/terminal/interactive.hpp"

#include "shell/hosts/news_watch.hpp"
#include "shell/language/command_line.hpp"

#include <utility>

#include <boost/asio/this_coro.hpp>

namespace trellis {
namespace {

Completion complete_line(std::string_view before, const Interpreter& interpreter, Session& session,
                         const Seat& seat) {
    CompletionSources sources{interpreter.commands(), {}, session.bus().topics()};
    for (const auto& [name, mask] : seat.masks().saved())
        sources.masks.push_back(name);
    for (const PlaceGroup& group : seat.places.groups())
        for (const auto& [name, value] : group.place.environment)
            sources.variables.push_back(name);
    for (const HostEntry& entry : session.hosts())
        sources.hosts.push_back(entry.host.name);
    return complete(before, sources);
}

// One line, with those that belong to it. Ctrl-C drops all of them.
Task<EditedLine> read_whole_line(Terminal& terminal, std::function<std::string()> prompt) {
    EditedLine line = co_await terminal.read_line(std::move(prompt));
    while (line.end == EditedLine::End::line && needs_another_line(line.text)) {
        std::function<std::string()> more = [] { return std::string("> "); };
        EditedLine next = co_await terminal.read_line(std::move(more));
        if (next.end == EditedLine::End::interrupted) co_return next;
        if (next.end == EditedLine::End::end_of_file) break;
        line.text += "\n" + next.text;
    }
    if (line.end == EditedLine::End::line) terminal.remember(line.text);
    co_return line;
}

void tell(Console& console, const std::vector<std::string>& lines) {
    for (const std::string& text : lines)
        console.say(text);
}

void tell(Console& console, HostNews& news, const std::map<std::string, Outcome>& told) {
    tell(console, news.take(told));
}

// Lines until the user quits.
Task<int> run_lines(Interpreter& interpreter, Terminal& terminal, Console& console, Seat& seat,
                    HostNews& news) {
    std::function<std::string()> prompt = [&seat] { return prompt_text(seat.counts()); };
    for (;;) {
        tell(console, interpreter.jobs().take_news());
        tell(console, news, seat.outcomes());
        EditedLine line = co_await read_whole_line(terminal, prompt);
        if (line.end == EditedLine::End::end_of_file) co_return 0;
        if (line.end == EditedLine::End::interrupted) continue;
        const LineResult result = co_await interpreter.run_line(line.text, "");
        if (result.quit) co_return result.quit_status.value_or(0);
    }
}

}  // namespace

std::string prompt_text(const Seat::Counts& counts) {
    return "trellis[" + std::to_string(counts.succeeded) + "/" + std::to_string(counts.selected) + "/" +
           std::to_string(counts.all) + "]> ";
}

Task<int> run_interactive(Interpreter& interpreter, Terminal& terminal, Console& console, Session& session,
                          Seat& seat, HostNews& news) {
    terminal.complete_with(
        [&](std::string_view before) { return complete_line(before, interpreter, session, seat); });
    const Executor executor = co_await asio::this_coro::executor;
    const NewsWatch watch(executor, session, seat, news, [&] {
        if (terminal.editing()) tell(console, news, {});
    });
    interpreter.after_statements([&] { tell(console, news, seat.outcomes()); });
    interpreter.after_jobs([&] {
        if (terminal.editing()) tell(console, interpreter.jobs().take_news());
    });
    const int status = co_await run_lines(interpreter, terminal, console, seat, news);
    co_await interpreter.jobs().end_all();
    co_return status;
}

}  // namespace trellis
