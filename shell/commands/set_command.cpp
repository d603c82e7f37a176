// `set`: what a script does when a command fails.
#include "shell/commands/builtins.hpp"

namespace trellis {
namespace {

class SetCommand final : public Builtin {
  public:
    void declare(OptionSet& options) override {
        options.description(
            "With -e a script ends at the first command that fails and is not followed by && or ||, at a "
            "terminal the line; with +e it goes on. Without arguments: show which");
        options.flag("-e", stop_, "End at the first command that fails");
        options.option("change", change_, "+e: go on").type_name("+e");
    }

  protected:
    Task<int> run_in_shell(ShellContext& context) override {
        bool& stop = context.seat().stop_on_error;
        if (!change_.empty() && (change_ != "+e" || stop_))
            co_return context.fail("expected -e or +e, not '" + change_ + "'", 2);
        if (!stop_ && change_.empty()) {
            std::string text = stop ? "set -e\n" : "set +e\n";
            co_await context.print(std::move(text));
            co_return 0;
        }
        stop = stop_;
        co_return 0;
    }

  private:
    bool stop_ = false;
    std::string change_;
};

}  // namespace

CommandEntry set_command() {
    return {"set", "end a script at the first failure, or not", make_command<SetCommand>};
}

}  // namespace trellis
