// OptionSet: the options and arguments that a command reads from its line, each bound to a member of the
// command. A handle, valid while the command is. The shell reads them by CLI11, which commands need not
// compile: it takes seconds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace trellis {

// One option or argument. Names as in "-o,--output"; without a dash, an argument.
class OptionHandle {
  public:
    explicit OptionHandle(CLI::Option* option) : option_(option) {}
    OptionHandle required();
    OptionHandle type_name(const char* name);  // of its value, for the help text and for completion
    OptionHandle words(int least, int most);
    OptionHandle excludes(const char* other);
    OptionHandle one_of(std::vector<std::string> choices);
    OptionHandle between(int least, int most);

  private:
    CLI::Option* option_;
};

class OptionSet {
  public:
    explicit OptionSet(CLI::App& app) : app_(&app) {}

    void description(const char* text);
    void footer(const char* text);
    OptionHandle flag(const char* names, bool& value, const char* help);
    OptionHandle option(const char* names, std::string& value, const char* help);
    OptionHandle option(const char* names, std::vector<std::string>& values, const char* help);
    OptionHandle option(const char* names, std::optional<int>& value, const char* help);
    OptionHandle option(const char* names, std::uint64_t& value, const char* help);
    // The first word that is no option begins the command for the hosts: remaining().
    void prefix_command();
    [[nodiscard]] std::vector<std::string> remaining() const;
    // One of the subcommands has to be given.
    OptionSet subcommand(const char* name, const char* help);
    [[nodiscard]] bool parsed() const;

  private:
    CLI::App* app_;
};

}  // namespace trellis
