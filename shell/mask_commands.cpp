// `smask` and `rmask`: which of the hosts commands run on.
#include "shell/builtins.hpp"

#include <algorithm>

#include <CLI/App.hpp>

namespace trellis {
namespace {

class SmaskCommand final : public Builtin {
  public:
    void declare(CLI::App& app) override {
        app.description("Select hosts: those on which the last command succeeded, or those that are named");
        app.footer(
            "Several conditions must hold together: smask --failed b[00-15]. Examples:\n"
            "  smask             where the last command succeeded\n"
            "  smask a[00-07]    by name\n  smask 'a*0'       by wildcard\n"
            "  smask /[02468]$/  by regular expression\n  smask --remove b* take hosts away");
        app.add_option("hosts", patterns_, "Host ranges, wildcards or /regular expressions/")
            ->type_name("HOSTS");
        app.add_flag("--ok", ok_, "Where the last command succeeded");
        CLI::Option* failed = app.add_flag("--failed", failed_, "Where the last command failed");
        failed->excludes("--ok");
        CLI::Option* add = app.add_flag("--add", add_, "Add to what is selected");
        app.add_flag("--remove", remove_, "Take away from what is selected")->excludes(add);
    }

  protected:
    Task<int> run_in_shell(ShellContext& context) override {
        if (patterns_.empty() && !failed_) ok_ = true;
        for (const std::string& text : patterns_) {
            Result<HostPattern> pattern = HostPattern::parse(text);
            if (!pattern) co_return context.fail(pattern.error().message(), 2);
            parsed_.push_back(std::move(*pattern));
        }
        if (const std::string unknown = unknown_name(context.session()); !unknown.empty())
            co_return context.fail("no host is called " + unknown);
        co_return select(context);
    }

  private:
    // A name that was spelt out is meant; that nothing is called so is a mistake.
    [[nodiscard]] std::string unknown_name(const Session& session) const {
        for (const HostPattern& pattern : parsed_)
            for (const std::string& name : pattern.names())
                if (!session.host(name)) return name;
        return "";
    }

    [[nodiscard]] bool meant(const Seat& seat, const std::string& name) const {
        const auto matches = [&](const HostPattern& pattern) { return pattern.matches(name); };
        if (!parsed_.empty() && std::none_of(parsed_.begin(), parsed_.end(), matches)) return false;
        if (!ok_ && !failed_) return true;
        const auto outcome = seat.outcomes().find(name);
        return outcome != seat.outcomes().end() && outcome->second.ok() == ok_;
    }

    int select(ShellContext& context) {
        Seat& seat = context.seat();
        std::set<std::string> chosen;
        bool any = false;
        for (const HostEntry& entry : context.session().hosts()) {
            const std::string& name = entry.host.name;
            const bool is_meant = meant(seat, name);
            any = any || is_meant;
            const bool was = seat.selected(name);
            if (add_ ? was || is_meant : remove_ ? was && !is_meant : is_meant) chosen.insert(name);
        }
        if (!any) return context.fail("no host is meant by this; the selection stays as it was");
        seat.select(chosen);
        return 0;
    }

    std::vector<std::string> patterns_;
    std::vector<HostPattern> parsed_;
    bool ok_ = false, failed_ = false, add_ = false, remove_ = false;
};

class RmaskCommand final : public Builtin {
  public:
    void declare(CLI::App& app) override { app.description("Select all hosts again"); }

  protected:
    Task<int> run_in_shell(ShellContext& context) override {
        context.seat().select_all();
        co_return 0;
    }
};

}  // namespace

CommandEntry smask_command() {
    return {"smask", "select hosts by name or by the last outcome", make_command<SmaskCommand>};
}

CommandEntry rmask_command() {
    return {"rmask", "select all hosts", make_command<RmaskCommand>};
}

}  // namespace trellis
