// `export` and `unset`: with what variables commands run on the selected hosts.
#include "agentd/model/host_range.hpp"
#include "shell/commands/builtins.hpp"
#include "shell/commands/host_answers.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <utility>

#include <nlohmann/json.hpp>

namespace trellis {
namespace {

bool is_variable_name(const std::string& name) {
    const auto allowed = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
    return !name.empty() && !std::isdigit(static_cast<unsigned char>(name[0])) &&
           std::all_of(name.begin(), name.end(), allowed);
}

// What the words after `export` say.
struct Assignments {
    std::map<std::string, std::string> values;  // as they are read here
    std::vector<std::string> names;             // of those with a value, in order
    std::string shell;                          // these words as they are written
    bool expands = false;                       // the hosts' shell makes something else of them
};

Result<Assignments> read_assignments(const Statement& statement) {
    const auto wrong = [](std::string cause) { return invalid(std::move(cause)); };
    Assignments read;
    for (std::size_t i = 1; i < statement.words.size(); ++i) {
        const std::string& text = statement.words[i].text;
        const std::size_t sign = text.find('=');
        const std::string name = text.substr(0, sign);
        if (!is_variable_name(name)) return wrong("expected NAME=VALUE, not '" + text + "'");
        if (sign == std::string::npos) {
            const char* here = std::getenv(name.c_str());
            if (!here) return wrong(name + " is not set here: expected " + name + "=VALUE");
            read.values[name] = here;
            continue;
        }
        const std::string written = as_written(statement, statement.words[i]);
        read.values[name] = text.substr(sign + 1);
        read.names.push_back(name);
        read.shell += " " + written;
        read.expands = read.expands || written.find_first_of("$`~") != std::string::npos;
    }
    return read;
}

class ExportCommand final : public Builtin {
  public:
    void declare(OptionSet& options) override {
        options.description("Set variables for commands on the selected hosts; without arguments, show them");
        options.footer("The hosts' shell reads the values as they are written: export PATH=$PATH:/opt/bin");
        options.option("variables", variables_, "NAME=VALUE, or NAME for its value here")
            .type_name("NAME=VALUE");
        options.flag("--json", json_, "The variables as a list of JSON objects");
    }

  protected:
    Task<int> run_in_shell(ShellContext& context) override {
        if (variables_.empty()) {
            std::string text = shown(context);
            co_await context.print(std::move(text));
            co_return 0;
        }
        if (json_) co_return context.fail("--json shows variables, it sets none", 2);
        const Result<Assignments> read = read_assignments(context.statement());
        if (!read) co_return context.fail(read.error().message(), 2);
        if (context.selection().empty()) co_return context.fail(no_host_selected);
        if (read->expands) co_return co_await set_expanded(context, *read);
        for (const Host& host : context.selection())
            set(context.seat().places, host.name, read->values);
        co_return 0;
    }

  private:
    static void set(Places& places, const std::string& host, std::map<std::string, std::string> values) {
        Place place = places.of(host);
        values.merge(place.environment);
        place.environment = std::move(values);
        places.set(host, std::move(place));
    }

    static Task<int> set_expanded(ShellContext& context, const Assignments& read) {
        std::string command = "set -f; IFS=; export" + read.shell + " && printf '%s\\0'";
        for (const std::string& name : read.names)
            command += " \"$" + name + "\"";
        const std::size_t count = read.names.size();
        Places from = context.seat().places;
        const HostAnswers answers =
            co_await ask_hosts(context, std::move(command), std::move(from), '\0', count);
        for (const auto& [host, texts] : answers.texts) {
            std::map<std::string, std::string> values = read.values;
            for (std::size_t i = 0; i < count; ++i)
                values[read.names[i]] = texts[i];
            set(context.seat().places, host, std::move(values));
        }
        co_return answers.status;
    }

    // Equal ones once, under the hosts that have them.
    [[nodiscard]] std::string shown(ShellContext& context) const {
        std::map<std::pair<std::string, std::string>, std::vector<std::string>> hosts;
        for (const Host& host : context.selection())
            for (const auto& variable : context.seat().places.of(host.name).environment)
                hosts[variable].push_back(host.name);
        nlohmann::json list = nlohmann::json::array();
        std::string text;
        for (const auto& [variable, names] : hosts) {
            list.push_back({{"name", variable.first}, {"value", variable.second}, {"hosts", names}});
            text += fold_hosts(names) + ": " + variable.first + "=" + variable.second + "\n";
        }
        return json_ ? list.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n" : text;
    }

    std::vector<std::string> variables_;
    bool json_ = false;
};

class UnsetCommand final : public Builtin {
  public:
    void declare(OptionSet& options) override {
        options.description("Forget variables that export has set for the selected hosts");
        options.option("names", names_, "Of the variables").type_name("VARIABLE").required();
    }

  protected:
    Task<int> run_in_shell(ShellContext& context) override {
        if (context.selection().empty()) co_return context.fail(no_host_selected);
        int status = 0;
        for (const std::string& name : names_)
            if (!unset(context, name))
                status = context.fail("export has not set " + name + " on these hosts");
        co_return status;
    }

  private:
    static bool unset(ShellContext& context, const std::string& name) {
        bool found = false;
        for (const Host& host : context.selection()) {
            Place place = context.seat().places.of(host.name);
            found = place.environment.erase(name) > 0 || found;
            context.seat().places.set(host.name, std::move(place));
        }
        return found;
    }

    std::vector<std::string> names_;
};

}  // namespace

CommandEntry export_command() {
    return {"export", "set variables for commands on the selected hosts", make_command<ExportCommand>};
}

CommandEntry unset_command() {
    return {"unset", "forget such variables", make_command<UnsetCommand>};
}

}  // namespace trellis
