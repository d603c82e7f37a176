#include "trellis/option_set.hpp"

#include <utility>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

namespace trellis {

OptionHandle OptionHandle::required() {
    option_->required();
    return *this;
}

OptionHandle OptionHandle::type_name(const char* name) {
    option_->type_name(name);
    return *this;
}

OptionHandle OptionHandle::words(int least, int most) {
    option_->expected(least, most);
    return *this;
}

OptionHandle OptionHandle::excludes(const char* other) {
    option_->excludes(other);
    return *this;
}

OptionHandle OptionHandle::one_of(std::vector<std::string> choices) {
    option_->check(CLI::IsMember(std::move(choices)));
    return *this;
}

OptionHandle OptionHandle::between(int least, int most) {
    option_->check(CLI::Range(least, most));
    return *this;
}

void OptionSet::description(const char* text) {
    app_->description(text);
}

void OptionSet::footer(const char* text) {
    app_->footer(text);
}

OptionHandle OptionSet::flag(const char* names, bool& value, const char* help) {
    return OptionHandle(app_->add_flag(names, value, help));
}

OptionHandle OptionSet::option(const char* names, std::string& value, const char* help) {
    return OptionHandle(app_->add_option(names, value, help));
}

OptionHandle OptionSet::option(const char* names, std::vector<std::string>& values, const char* help) {
    return OptionHandle(app_->add_option(names, values, help));
}

OptionHandle OptionSet::option(const char* names, std::optional<int>& value, const char* help) {
    return OptionHandle(app_->add_option(names, value, help));
}

OptionHandle OptionSet::option(const char* names, std::uint64_t& value, const char* help) {
    return OptionHandle(app_->add_option(names, value, help));
}

void OptionSet::prefix_command() {
    app_->prefix_command();
}

std::vector<std::string> OptionSet::remaining() const {
    return app_->remaining();
}

OptionSet OptionSet::subcommand(const char* name, const char* help) {
    app_->require_subcommand(1);
    return OptionSet(*app_->add_subcommand(name, help));
}

bool OptionSet::parsed() const {
    return app_->parsed();
}

}  // namespace trellis
