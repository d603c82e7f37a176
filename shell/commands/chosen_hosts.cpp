#include "shell/commands/chosen_hosts.hpp"

#include "shell/hosts/host_expression.hpp"
#include "shell/hosts/host_groups.hpp"

#include <sstream>
#include <utility>

namespace trellis {
Result<std::vector<Host>> chosen_hosts(const Session& session, const Seat& seat, const std::string& on) {
    std::vector<Host> hosts = seat.selection();
    if (on.empty() && hosts.empty()) return unavailable("no host is selected (see hosts, explore, rmask)");
    if (on.empty()) return hosts;
    std::istringstream text(on);
    std::vector<std::string> words;
    for (std::string word; text >> word;)
        words.push_back(word);
    const HostGroups groups = host_groups(session, seat);
    const Result<HostNames> names = evaluate_hosts(words, *groups("all"), *groups("selected"), groups);
    if (!names) return names.error();
    hosts.clear();
    for (HostEntry& entry : session.hosts())
        if (entry.running() && names->contains(entry.host.name)) hosts.push_back(std::move(entry.host));
    if (hosts.empty()) return unavailable("no host with an agent is meant by --on " + on);
    return hosts;
}

}  // namespace trellis
