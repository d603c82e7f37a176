// `topics`, `show`, `save` and `load`: the values on the bus.
#include "shell/commands/builtins.hpp"
#include "shell/language/duration_text.hpp"
#include "shell/language/nearest.hpp"
#include "shell/session/session_file.hpp"

#include <nlohmann/json.hpp>

namespace trellis {
namespace {

std::string dump(const nlohmann::json& json) {
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string no_such_topic(const Bus& bus, const std::string& name) {
    return "no value is called " + name + did_you_mean(name, bus.topics()) + " (see topics)";
}

class TopicsCommand final : public Builtin {
  public:
    void declare(OptionSet& options) override {
        options.description("List the values on the bus: name, type, number of hosts, membership view, time");
        options.flag("--json", json_, "A list of JSON objects");
    }

  protected:
    Task<int> run_in_shell(ShellContext& context) override {
        nlohmann::json list = nlohmann::json::array();
        std::string text;
        for (const std::string& name : context.bus().topics()) {
            const Retained& retained = *context.bus().find(name);
            text += name + ": " + std::string(retained.value->type()) + " of " +
                    std::to_string(retained.hosts.size()) + " hosts, " +
                    (retained.view == 0 ? std::string("loaded") : "view " + std::to_string(retained.view)) +
                    ", " + time_text(retained.unix_time) + "\n";
            list.push_back({{"name", name},
                            {"type", retained.value->type()},
                            {"hosts", retained.hosts},
                            {"view", retained.view},
                            {"time", retained.unix_time}});
        }
        if (json_) text = dump(list);
        co_await context.print(std::move(text));
        co_return 0;
    }

  private:
    bool json_ = false;
};

class ShowCommand final : public Builtin {
  public:
    void declare(OptionSet& options) override {
        options.description("Print a value of the bus");
        options.option("name", name_, "A topic").required().type_name("TOPIC");
        options.flag("--json", json_, "As JSON");
    }

  protected:
    Task<int> run_in_shell(ShellContext& context) override {
        const Retained* retained = context.bus().find(name_);
        if (!retained) co_return context.fail(no_such_topic(context.bus(), name_));
        std::string text = json_ ? dump(retained->value->to_json()) : retained->value->to_text();
        co_await context.print(std::move(text));
        co_return 0;
    }

  private:
    std::string name_;
    bool json_ = false;
};

class SaveCommand final : public Builtin {
  public:
    void declare(OptionSet& options) override {
        options.description(
            "Save values of the bus, login rules, masks, directories and variables as a JSON file");
        options.option("file", file_, "Where to").required().type_name("FILE");
        options.option("topics", topics_, "Which values (all)").type_name("TOPIC");
    }

  protected:
    Task<int> run_in_shell(ShellContext& context) override {
        for (const std::string& topic : topics_)
            if (!context.bus().find(topic)) co_return context.fail(no_such_topic(context.bus(), topic));
        const Result<std::string> text = session_text(context.session(), context.seat(), topics_);
        if (!text) co_return context.fail(text.error().message());
        const Result<void> written = write_file_atomically(file_, *text);
        if (!written) co_return context.fail(written.error().message());
        co_return 0;
    }

  private:
    std::string file_;
    std::vector<std::string> topics_;
};

class LoadCommand final : public Builtin {
  public:
    void declare(OptionSet& options) override {
        options.description("Load what save has written; its hosts become known and can be explored");
        options.option("file", file_, "Where from").required().type_name("FILE");
    }

  protected:
    Task<int> run_in_shell(ShellContext& context) override {
        const Result<std::string> text = read_whole_file(file_);
        if (!text) co_return context.fail(text.error().message());
        const Result<std::vector<std::string>> names =
            restore_session(context.session(), context.seat(), *text);
        if (!names) co_return context.fail(file_ + ": " + names.error().message());
        std::string list;
        for (const std::string& name : *names)
            list += (list.empty() ? "" : ", ") + name;
        context.say("loaded " + (list.empty() ? "settings" : list));
        co_return 0;
    }

  private:
    std::string file_;
};

}  // namespace

CommandEntry topics_command() {
    return {"topics", "list the values on the bus", make_command<TopicsCommand>};
}
CommandEntry show_command() {
    return {"show", "print a value of the bus", make_command<ShowCommand>};
}
CommandEntry save_command() {
    return {"save", "save the session's values as a file", make_command<SaveCommand>};
}
CommandEntry load_command() {
    return {"load", "load a saved file", make_command<LoadCommand>};
}

}  // namespace trellis
