#include "shell/language/option_set.hpp"

#include <deque>
#include <utility>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

namespace trellis {
namespace {

class CliOption final : public Option {
  public:
    explicit CliOption(CLI::Option* option) : option_(option) {}
    Option& required() override {
        option_->required();
        return *this;
    }
    Option& type_name(const char* name) override {
        option_->type_name(name);
        return *this;
    }
    Option& words(int least, int most) override {
        option_->expected(least, most);
        return *this;
    }
    Option& one_each_time() override {
        option_->allow_extra_args(false);
        return *this;
    }
    Option& excludes(const char* other) override {
        option_->excludes(other);
        return *this;
    }
    Option& one_of(std::vector<std::string> choices) override {
        option_->check(CLI::IsMember(std::move(choices)));
        return *this;
    }
    Option& between(int least, int most) override {
        option_->check(CLI::Range(least, most));
        return *this;
    }

  private:
    CLI::Option* option_;
};

class CliOptionSet final : public OptionSet {
  public:
    explicit CliOptionSet(CLI::App& app) : app_(app) {}
    void description(const char* text) override { app_.description(text); }
    void footer(const char* text) override { app_.footer(text); }
    Option& flag(const char* names, bool& value, const char* help) override {
        return options_.emplace_back(app_.add_flag(names, value, help));
    }
    Option& option(const char* names, std::string& value, const char* help) override {
        return add(names, value, help);
    }
    Option& option(const char* names, std::optional<std::string>& value, const char* help) override {
        return add(names, value, help);
    }
    Option& option(const char* names, std::vector<std::string>& values, const char* help) override {
        return add(names, values, help);
    }
    Option& option(const char* names, std::optional<int>& value, const char* help) override {
        return add(names, value, help);
    }
    Option& option(const char* names, std::uint64_t& value, const char* help) override {
        return add(names, value, help);
    }
    void prefix_command() override { app_.prefix_command(); }
    void allow_extras() override { app_.allow_extras(); }
    [[nodiscard]] std::vector<std::string> remaining() const override { return app_.remaining(); }
    OptionSet& subcommand(const char* name, const char* help) override {
        app_.require_subcommand(1);
        return subcommands_.emplace_back(*app_.add_subcommand(name, help));
    }
    void subcommands_optional() override { app_.require_subcommand(0, 1); }
    [[nodiscard]] bool parsed() const override { return app_.parsed(); }

  private:
    template <class Value>
    Option& add(const char* names, Value& value, const char* help) {
        return options_.emplace_back(app_.add_option(names, value, help));
    }

    CLI::App& app_;
    std::deque<CliOption> options_;
    std::deque<CliOptionSet> subcommands_;
};

}  // namespace

std::unique_ptr<OptionSet> option_set_of(CLI::App& app) {
    return std::make_unique<CliOptionSet>(app);
}

}  // namespace trellis
