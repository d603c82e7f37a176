// `cd` and `export`: where and with what variables commands run on the hosts.
#include "shell/builtins.hpp"
#include "shell/outcome_text.hpp"
#include "shell/remote_command.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include <nlohmann/json.hpp>

namespace trellis {
namespace {

// As text, for no host's file system is at hand. Empty is the home directory, and so is ~.
std::string resolve(const std::string& from, std::string to) {
    if (to.empty() || to == "~") return "";
    std::string base = from;
    if (to.starts_with("~/")) {
        base.clear();
        to.erase(0, 2);
    }
    std::string path = (std::filesystem::path(base) / to).lexically_normal().string();
    if (path.size() > 1 && path.ends_with('/')) path.pop_back();
    return path == "." ? "" : path;
}

class CdCommand final : public Builtin {
  public:
    void declare(OptionSet options) override {
        options.description(
            "Change the directory in which commands run on the hosts; without one, to the home directory");
        options.option("directory", directory_, "Absolute, or from the current one").type_name("DIRECTORY");
    }

  protected:
    Task<int> run_in_shell(ShellContext& context) override {
        const std::string directory = resolve(context.seat().directory, directory_);
        if (context.selection().empty()) {
            context.seat().directory = directory;
            co_return 0;
        }
        const auto view = labelled_view(context, false);
        RemoteCommand remote(context, *view);
        const auto outcomes = co_await remote.run(":", directory, std::nullopt);
        for (const std::string& line : failure_lines(outcomes))
            context.say(line);
        const auto ok = [](const auto& item) { return item.second.ok(); };
        if (std::any_of(outcomes.begin(), outcomes.end(), ok)) context.seat().directory = directory;
        co_return exit_status_of(outcomes);
    }

  private:
    std::string directory_;
};

bool is_variable_name(const std::string& name) {
    const auto allowed = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
    return !name.empty() && !std::isdigit(static_cast<unsigned char>(name[0])) &&
           std::all_of(name.begin(), name.end(), allowed);
}

class ExportCommand final : public Builtin {
  public:
    void declare(OptionSet options) override {
        options.description("Set variables for commands on the hosts; without arguments, show them");
        options.option("variables", variables_, "NAME=VALUE, or NAME for its value here")
            .type_name("NAME=VALUE");
        options.flag("--remove", remove_, "Forget the variables of these names");
        options.flag("--json", json_, "The variables as a JSON object");
    }

  protected:
    Task<int> run_in_shell(ShellContext& context) override {
        auto& environment = context.seat().environment;
        if (variables_.empty()) {
            std::string text = as_text(environment);
            co_await context.print(std::move(text));
            co_return 0;
        }
        auto changed = environment;
        for (const std::string& variable : variables_) {
            const std::string wrong = apply(changed, variable);
            if (!wrong.empty()) co_return context.fail(wrong, 2);
        }
        environment = std::move(changed);
        co_return 0;
    }

  private:
    [[nodiscard]] std::string as_text(const std::map<std::string, std::string>& environment) const {
        if (json_) return nlohmann::json(environment).dump() + "\n";
        std::string text;
        for (const auto& [name, value] : environment)
            text.append(name).append("=").append(value).append("\n");
        return text;
    }

    // What is wrong with it, or nothing.
    [[nodiscard]] std::string apply(std::map<std::string, std::string>& environment,
                                    const std::string& variable) const {
        const std::size_t sign = variable.find('=');
        const std::string name = variable.substr(0, sign);
        if (!is_variable_name(name)) return "expected NAME=VALUE, not '" + variable + "'";
        if (remove_) {
            if (environment.erase(name) == 0) return "no variable is called " + name;
        } else if (sign != std::string::npos) {
            environment[name] = variable.substr(sign + 1);
        } else if (const char* value = std::getenv(name.c_str())) {
            environment[name] = value;
        } else {
            return name + " is not set here: expected " + name + "=VALUE";
        }
        return "";
    }

    std::vector<std::string> variables_;
    bool remove_ = false, json_ = false;
};

}  // namespace

CommandEntry cd_command() {
    return {"cd", "change the directory on the hosts", make_command<CdCommand>};
}

CommandEntry export_command() {
    return {"export", "set variables for commands on the hosts", make_command<ExportCommand>};
}

}  // namespace trellis
