#include "shell/output/labelled_lines.hpp"

#include "agentd/core/exec_messages.hpp"
#include "shell/output/visible_text.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace trellis {

std::string LabelledLines::add(const std::string& host, std::uint32_t stream, std::string_view bytes) {
    std::string& unfinished = unfinished_[{host, stream}];
    std::string text;
    while (!bytes.empty()) {
        const std::size_t end = bytes.find('\n');
        const std::string_view piece = bytes.substr(0, std::min(end, longest_line - unfinished.size()));
        unfinished += piece;
        const bool whole = piece.size() == end;
        bytes.remove_prefix(piece.size() + (whole ? 1 : 0));
        if (!whole && unfinished.size() < longest_line) break;
        append_line(text, host, stream, unfinished);
        unfinished.clear();
    }
    return text;
}

std::string LabelledLines::finish(const std::string& host, std::uint32_t stream) {
    std::string text;
    const auto unfinished = unfinished_.find({host, stream});
    if (unfinished == unfinished_.end()) return text;
    if (!unfinished->second.empty()) append_line(text, host, stream, unfinished->second);
    unfinished_.erase(unfinished);
    return text;
}

void LabelledLines::append_line(std::string& text, const std::string& host, std::uint32_t stream,
                                std::string_view line) const {
    if (style_ == Style::label) {
        text += host + ": " + (visible_ ? visible_text(line) : std::string(line)) + "\n";
        return;
    }
    const nlohmann::json json{
        {"host", host}, {"stream", stream == exec_stderr ? "stderr" : "stdout"}, {"line", line}};
    text += json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace trellis
