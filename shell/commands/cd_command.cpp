// `cd`: where commands run on the selected hosts.
#include "shell/commands/builtins.hpp"
#include "shell/commands/host_answers.hpp"

#include <utility>

namespace trellis {
namespace {

class CdCommand final : public Builtin {
  public:
    void declare(OptionSet& options) override {
        options.description(
            "Change the directory in which commands run on the selected hosts; without one, to the home "
            "directory");
        options.footer(
            "The hosts' shell reads it as it is written: cd ~/x, cd \"$HOME/my dir\", cd -.\n"
            "A host where that fails stays where it was.");
        options.option("directory", directory_, "Absolute, from the current one, or - for the one before")
            .type_name("DIRECTORY");
    }

  protected:
    Task<int> run_in_shell(ShellContext& context) override {
        if (context.selection().empty()) co_return context.fail(no_host_selected);
        const Statement& statement = context.statement();
        std::string aim;
        if (directory_ == "-")
            aim = " \"${OLDPWD:?no directory before this one}\"";
        else if (!directory_.empty())
            aim = " " + as_written(statement, statement.words.back());
        Places& places = context.seat().places;
        Places from = places;
        if (!relative()) from = at_home(context.selection(), places);
        std::string command = "pwd; cd" + aim + " > /dev/null && pwd";
        const HostAnswers answers = co_await ask_hosts(context, std::move(command), std::move(from), '\n', 2);
        for (const auto& [host, directories] : answers.texts) {
            Place place = places.of(host);
            place.previous = place.directory.empty() ? directories[0] : place.directory;
            place.directory = directories[1];
            places.set(host, std::move(place));
        }
        co_return answers.status;
    }

  private:
    [[nodiscard]] bool relative() const {
        return !directory_.empty() && directory_[0] != '/' && directory_[0] != '~' && directory_ != "-";
    }

    // So that a directory that has been removed can be left.
    static Places at_home(const std::vector<Host>& hosts, Places places) {
        for (const Host& host : hosts) {
            Place place = places.of(host.name);
            place.directory.clear();
            places.set(host.name, std::move(place));
        }
        return places;
    }

    std::string directory_;
};

}  // namespace

CommandEntry cd_command() {
    return {"cd", "change the directory on the selected hosts", make_command<CdCommand>};
}

}  // namespace trellis
