// `smask`, `rmask` and their kin: which of the hosts commands run on.
#include "agentd/model/host_range.hpp"
#include "shell/commands/builtins.hpp"
#include "shell/hosts/host_groups.hpp"

#include <nlohmann/json.hpp>

namespace trellis {
namespace {

constexpr const char* expressions =
    "Sets are joined by + (or), - (but not), & (and) and ^ (either), from left to right; an operator\n"
    "before the first applies to what is selected. Quote & and what has ; or |. Examples:\n"
    "  smask                  where the last command succeeded; smask - where it failed\n"
    "  smask a[00-07] 'b*0'   by name and by wildcard\n"
    "  smask /[02468]$/       by regular expression\n"
    "  smask - b*             take hosts away\n"
    "  smask @failed '&' b*   those of b on which the last command failed\n"
    "  smask @below:s3        below a switch of the topology\n"
    "  smask @within:a00:1ms  by round-trip time, from the topology\n"
    "  smask @rack1 + a20     a mask kept by savemask, and one more\n"
    "  smask --where 'stdout ~ ^6\\.1'   by what the last command printed";

class SmaskCommand final : public Builtin {
  public:
    void declare(OptionSet& options) override {
        options.description(
            "Select hosts: those on which the last command succeeded, or those that are meant");
        options.footer(expressions);
        options.option("hosts", words_, "Host ranges, wildcards, /regular expressions/, @groups, + - & ^")
            .type_name("HOSTS");
        options
            .option("--where", where_,
                    "stdout ~ EXPRESSION, stderr ~ EXPRESSION, status = NUMBER; also != and !~")
            .type_name("CONDITION");
        options.flag("--ok", ok_, "Of these, where the last command succeeded");
        options.flag("--failed", failed_, "Of these, where the last command failed").excludes("--ok");
    }

  protected:
    Task<int> run_in_shell(ShellContext& context) override {
        if (!context.job().foreground())
            co_return context.fail("cannot run in the background: put & in quotes, as in smask a* '&' b*", 2);
        const Result<HostNames> chosen = choose(context.session(), context.seat());
        if (!chosen)
            co_return context.fail(chosen.error().message(),
                                   chosen.error().kind == FailureKind::invalid ? 2 : 1);
        if (chosen->empty())
            co_return context.fail("no host is meant by this; the selection stays as it was");
        context.seat().select(*chosen);
        co_return 0;
    }

  private:
    [[nodiscard]] Result<HostNames> choose(const Session& session, const Seat& seat) const {
        const HostGroups groups = host_groups(session, seat);
        std::vector<std::string> words = words_;
        if (words == std::vector<std::string>{"-"}) words = {"@failed"};
        if (words.empty()) words = {ok_ || failed_ || !where_.empty() ? "@all" : "@ok"};
        Result<HostNames> chosen = evaluate_hosts(words, *groups("all"), *groups("selected"), groups);
        if (chosen && (ok_ || failed_))
            chosen = evaluate_hosts({"&", ok_ ? "@ok" : "@failed"}, *groups("all"), *chosen, groups);
        if (!chosen || where_.empty()) return chosen;
        const Result<OutputCondition> condition = OutputCondition::parse(where_);
        if (!condition) return condition.error();
        return where(*condition, seat, *chosen);
    }

    // Only hosts on which the last command ran.
    static HostNames where(const OutputCondition& condition, const Seat& seat, const HostNames& among) {
        const LastOutput nothing;
        HostNames chosen;
        for (const auto& [name, outcome] : seat.outcomes()) {
            const auto output = seat.last_output.find(name);
            const LastOutput& printed = output == seat.last_output.end() ? nothing : output->second;
            if (among.contains(name) && condition.holds(printed, outcome)) chosen.insert(name);
        }
        return chosen;
    }

    std::vector<std::string> words_;
    std::string where_;
    bool ok_ = false, failed_ = false;
};

class SavemaskCommand final : public Builtin {
  public:
    void declare(OptionSet& options) override {
        options.description("Keep the selection under a name, for restoremask and for smask @NAME");
        options.option("name", name_, "Of the mask").type_name("MASK").required();
    }

  protected:
    Task<int> run_in_shell(ShellContext& context) override {
        context.seat().change_masks([&](Masks& masks) { masks.save(name_); });
        co_return 0;
    }

  private:
    std::string name_;
};

class RestoremaskCommand final : public Builtin {
  public:
    void declare(OptionSet& options) override {
        options.description("Select what was kept under a name");
        options.option("name", name_, "Of the mask").type_name("MASK").required();
    }

  protected:
    Task<int> run_in_shell(ShellContext& context) override {
        if (context.seat().change_masks([&](Masks& masks) { return masks.restore(name_); })) co_return 0;
        co_return context.fail("no mask is called " + name_ + " (see showmasks)");
    }

  private:
    std::string name_;
};

// A command without arguments that changes the masks, if it can.
struct Change {
    const char* description;
    bool (*apply)(Masks& masks);
    const char* refusal;
};

constexpr Change rmask{"Select all hosts again",
                       [](Masks& masks) {
                           masks.set({});
                           return true;
                       },
                       ""};
constexpr Change pushmask{"Keep the selection on a stack, for popmask",
                          [](Masks& masks) {
                              masks.push();
                              return true;
                          },
                          ""};
constexpr Change popmask{"Select what pushmask kept last", [](Masks& masks) { return masks.pop(); },
                         "nothing is on the stack (see pushmask)"};
constexpr Change undo{"Take back the last change of the selection", [](Masks& masks) { return masks.undo(); },
                      "the selection has not been changed"};

template <const Change& change>
class ChangeCommand final : public Builtin {
  public:
    void declare(OptionSet& options) override { options.description(change.description); }

  protected:
    Task<int> run_in_shell(ShellContext& context) override {
        if (context.seat().change_masks(change.apply)) co_return 0;
        co_return context.fail(change.refusal);
    }
};

class ShowmasksCommand final : public Builtin {
  public:
    void declare(OptionSet& options) override {
        options.description(
            "List the masks: the selection, those kept under names, and the stack, last pushed first");
        options.flag("--json", json_, "As a JSON object");
    }

  protected:
    Task<int> run_in_shell(ShellContext& context) override {
        const Masks& masks = context.seat().masks();
        const std::vector<HostEntry> hosts = context.session().hosts();
        nlohmann::json json{{"selected", selected(hosts, masks.current())},
                            {"saved", nlohmann::json::object()},
                            {"stack", nlohmann::json::array()}};
        std::string text = line("selected", hosts, masks.current());
        for (const auto& [name, mask] : masks.saved()) {
            json["saved"][name] = selected(hosts, mask);
            text += line("@" + name, hosts, mask);
        }
        for (auto mask = masks.stack().rbegin(); mask != masks.stack().rend(); ++mask) {
            json["stack"].push_back(selected(hosts, *mask));
            text += line("pushed", hosts, *mask);
        }
        if (json_) text = json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
        co_await context.print(std::move(text));
        co_return 0;
    }

  private:
    static std::vector<std::string> selected(const std::vector<HostEntry>& hosts, const Mask& mask) {
        std::vector<std::string> names;
        for (const HostEntry& entry : hosts)
            if (!mask.contains(entry.host.name)) names.push_back(entry.host.name);
        return names;
    }

    static std::string line(const std::string& label, const std::vector<HostEntry>& hosts, const Mask& mask) {
        const std::vector<std::string> names = selected(hosts, mask);
        return label + ": " + std::to_string(names.size()) + " of " + std::to_string(hosts.size()) +
               (names.empty() ? "" : ": " + fold_hosts(names)) + "\n";
    }

    bool json_ = false;
};

}  // namespace

std::vector<CommandEntry> mask_commands() {
    return {{"smask", "select hosts by name, outcome, output or place", make_command<SmaskCommand>},
            {"rmask", "select all hosts", make_command<ChangeCommand<rmask>>},
            {"savemask", "keep the selection under a name", make_command<SavemaskCommand>},
            {"restoremask", "select what was kept under a name", make_command<RestoremaskCommand>},
            {"pushmask", "keep the selection on a stack", make_command<ChangeCommand<pushmask>>},
            {"popmask", "select what was pushed last", make_command<ChangeCommand<popmask>>},
            {"showmasks", "list the selection and the kept ones", make_command<ShowmasksCommand>},
            {"undo", "take back the last change of the selection", make_command<ChangeCommand<undo>>}};
}

}  // namespace trellis
