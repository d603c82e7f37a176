// Options of one command, read by CLI11. Pure: it prints nothing.
#pragma once

#include "trellis/command.hpp"
#include "trellis/result.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

namespace trellis {

// What a command has declared; valid while the command is.
struct DeclaredOptions {
    CLI::App app;
    std::unique_ptr<OptionSet> set;
};
[[nodiscard]] std::unique_ptr<DeclaredOptions> declare_options(Command& command, const CommandEntry& entry);

// Reads the words after the command's name into the members that are bound. The failure names the option that
// is not known and the nearest one, or what was expected. True if help was asked for instead.
[[nodiscard]] Result<bool> read_options(CLI::App& app, const std::vector<std::string>& words);

// "--json", "--timeout", ...
[[nodiscard]] std::vector<std::string> option_names(const CLI::App& app);

}  // namespace trellis
