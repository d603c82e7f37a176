// `use`: the login rules.
#include "shell/commands/builtins.hpp"

#include <nlohmann/json.hpp>

namespace trellis {
namespace {

class UseCommand final : public Builtin {
  public:
    void declare(OptionSet& options) override {
        options.description(
            "Say from which hosts, and in which way, which others are reached; without arguments, show the "
            "rules");
        options.footer(
            "WAY is ssh, ssh-program (the ssh command) or local (processes on this machine). FROM and TO "
            "are\n"
            "host ranges, with * and ? as wildcards, or /regular expressions/; FROM is 'here' for this "
            "machine,\n"
            "and that is the default. Examples:\n"
            "  use ssh here gateway\n  use ssh gateway b[00-31]\n  use ssh --end-to-end gateway c*\n  use "
            "local n[0-3]");
        options.option("rule", words_, "WAY [FROM] TO").words(0, 3).type_name("WORD");
        options.flag("--end-to-end", end_to_end_, "FROM only relays bytes: the login is made here");
        options.flag("--forward-agent", forward_agent_,
                     "Logins from FROM may use signatures of the ssh-agent here");
        options.flag("--clear", clear_, "Forget all rules");
        options.flag("--json", json_, "The rules as JSON");
    }

  protected:
    Task<int> run_in_shell(ShellContext& context) override {
        UseRules& rules = context.session().rules();
        if (clear_) rules.clear();
        if (words_.empty() && !clear_) {
            std::string text = rules_text(rules);
            co_await context.print(std::move(text));
        }
        if (words_.empty()) co_return 0;
        std::vector<std::string> words = words_;
        if (end_to_end_) words.emplace_back("--end-to-end");
        if (forward_agent_) words.emplace_back("--forward-agent");
        Result<UseRule> rule = parse_use_rule(words);
        if (!rule) co_return context.fail(rule.error().message(), 2);
        rules.add(std::move(*rule));
        co_return 0;
    }

  private:
    [[nodiscard]] std::string rules_text(const UseRules& rules) const {
        nlohmann::json list = nlohmann::json::array();
        std::string text;
        for (const UseRule& rule : rules.rules()) {
            text += rule.text() + "\n";
            list.push_back(rule.text());
        }
        return json_ ? list.dump() + "\n" : text;
    }

    std::vector<std::string> words_;
    bool end_to_end_ = false, forward_agent_ = false, clear_ = false, json_ = false;
};

}  // namespace

CommandEntry use_command() {
    return {"use", "say how hosts are reached", make_command<UseCommand>};
}

}  // namespace trellis
