// OptionSet: the options and arguments that a command reads from its line, each bound to a member of the
// command. The shell's; valid while the command is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace trellis {

// One option or argument. Names as in "-o,--output"; without a dash, an argument.
class Option {
  public:
    virtual ~Option() = default;
    virtual Option& required() = 0;
    virtual Option& type_name(const char* name) = 0;  // of its value, for the help text and for completion
    virtual Option& words(int least, int most) = 0;
    // A list takes one value each time the option is given, not all that follow.
    virtual Option& one_each_time() = 0;
    virtual Option& excludes(const char* other) = 0;
    virtual Option& one_of(std::vector<std::string> choices) = 0;
    virtual Option& between(int least, int most) = 0;
};

class OptionSet {
  public:
    virtual ~OptionSet() = default;
    virtual void description(const char* text) = 0;
    virtual void footer(const char* text) = 0;
    virtual Option& flag(const char* names, bool& value, const char* help) = 0;
    virtual Option& option(const char* names, std::string& value, const char* help) = 0;
    virtual Option& option(const char* names, std::optional<std::string>& value, const char* help) = 0;
    virtual Option& option(const char* names, std::vector<std::string>& values, const char* help) = 0;
    virtual Option& option(const char* names, std::optional<int>& value, const char* help) = 0;
    virtual Option& option(const char* names, std::uint64_t& value, const char* help) = 0;
    // The first word that is no option begins the command for the hosts: remaining().
    virtual void prefix_command() = 0;
    // With prefix_command(): options that are not known belong to remaining(), too.
    virtual void allow_extras() = 0;
    [[nodiscard]] virtual std::vector<std::string> remaining() const = 0;
    // One of the subcommands has to be given, unless they are optional.
    virtual OptionSet& subcommand(const char* name, const char* help) = 0;
    virtual void subcommands_optional() = 0;  // said after the last of them
    [[nodiscard]] virtual bool parsed() const = 0;
};

}  // namespace trellis
