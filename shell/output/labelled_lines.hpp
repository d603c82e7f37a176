// LabelledLines: bytes as they arrive from many hosts, cut into whole lines under their host's name. Pure:
// bytes in, text out. Owned by the command that shows output.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace trellis {

class LabelledLines {
  public:
    enum class Style { label, json };  // "a00: text", or {"host": "a00", "stream": "stdout", "line": "text"}

    // `visible`: control characters are made visible (not with json, which escapes them).
    LabelledLines(Style style, bool visible) : style_(style), visible_(visible) {}

    // The text that the bytes complete; the rest waits for the end of its line. A line longer than
    // `longest_line` is cut.
    [[nodiscard]] std::string add(const std::string& host, std::uint32_t stream, std::string_view bytes);
    // The unfinished line of a stream that has ended, or nothing.
    [[nodiscard]] std::string finish(const std::string& host, std::uint32_t stream);

    static constexpr std::size_t longest_line = 65536;

  private:
    void append_line(std::string& text, const std::string& host, std::uint32_t stream,
                     std::string_view line) const;

    Style style_;
    bool visible_;
    std::map<std::pair<std::string, std::uint32_t>, std::string> unfinished_;
};

}  // namespace trellis
