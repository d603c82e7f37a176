// `hosts`: who is known, and how each stands.
#include "shell/commands/builtins.hpp"
#include "shell/output/outcome_text.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace trellis {
namespace {

class HostsCommand final : public Builtin {
  public:
    void declare(OptionSet& options) override {
        options.description(
            "List the known hosts: state, whether selected (*), addresses, outcome of the last command");
        options.flag("--json", json_, "A list of JSON objects");
    }

  protected:
    Task<int> run_in_shell(ShellContext& context) override {
        const std::vector<HostEntry> hosts = context.session().hosts();
        std::string text = json_ ? as_json(context, hosts) : as_text(context, hosts);
        co_await context.print(std::move(text));
        co_return 0;
    }

  private:
    static std::string as_json(ShellContext& context, const std::vector<HostEntry>& hosts) {
        nlohmann::json list = HostsValue(hosts).to_json();
        for (nlohmann::json& host : list) {
            const std::string name = host["name"];
            host["selected"] = context.seat().selected(name);
            const auto outcome = context.seat().outcomes().find(name);
            if (outcome != context.seat().outcomes().end())
                host["last"] = outcome_json(name, outcome->second)["outcome"];
        }
        return list.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
    }

    static std::string as_text(ShellContext& context, const std::vector<HostEntry>& hosts) {
        std::size_t width = 0;
        for (const HostEntry& entry : hosts)
            width = std::max(width, entry.host.name.size());
        std::string text;
        for (const HostEntry& entry : hosts)
            text += line(context.seat(), entry, width);
        return text;
    }

    static std::string line(const Seat& seat, const HostEntry& entry, std::size_t width) {
        const std::string& name = entry.host.name;
        std::string state(host_state_name(entry.state));
        state.resize(7, ' ');
        std::string text = std::string(seat.selected(name) && entry.running() ? "* " : "  ") + name +
                           std::string(width - name.size() + 2, ' ') + state;
        for (const Address& address : entry.host.addresses)
            text += "  " + address.ip;
        const auto outcome = seat.outcomes().find(name);
        if (!entry.cause.empty())
            text += "  " + entry.cause;
        else if (outcome != seat.outcomes().end() && !outcome->second.ok())
            text += "  last: " + outcome_text(outcome->second);
        return text + "\n";
    }

    bool json_ = false;
};

}  // namespace

CommandEntry hosts_command() {
    return {"hosts", "list the known hosts", make_command<HostsCommand>};
}

}  // namespace trellis
