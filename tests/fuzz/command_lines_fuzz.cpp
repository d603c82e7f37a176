// Command lines: any bytes give statements or a failure that names a column.
#include "shell/language/command_line.hpp"

#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view line(reinterpret_cast<const char*>(data), size);
    (void)trellis::needs_another_line(line);
    (void)trellis::unfinished_statement(line);
    const auto statements = trellis::parse_command_line(line);
    if (!statements) return 0;
    for (const auto& statement : *statements) {
        for (std::size_t i = 0; i <= statement.words.size(); ++i)
            (void)statement.raw_from(i);
    }
    return 0;
}
