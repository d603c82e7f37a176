#include "plugins/bcast/report.hpp"

#include "agentd/model/host_range.hpp"
#include "plugins/bcast/figures.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <nlohmann/json.hpp>

namespace trellis::plugins::bcast {

std::size_t Report::have() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(hosts, [](const HostReport& host) { return host.cause.empty(); }));
}

nlohmann::json Report::to_json() const {
    nlohmann::json all = nlohmann::json::array();
    for (const HostReport& host : hosts) {
        nlohmann::json one = {{"host", host.name}, {"has", host.cause.empty()}};
        if (host.cause.empty())
            one["seconds"] = std::chrono::duration<double>(host.taken).count();
        else
            one["cause"] = host.cause;
        if (host.by_tree) one["by_tree"] = true;
        if (host.kept > 0) one["kept"] = host.kept;
        if (host.anew) one["anew"] = true;
        all.push_back(std::move(one));
    }
    const double seconds = std::chrono::duration<double>(taken).count();
    return {{"bytes", bytes}, {"seconds", seconds}, {"have", have()}, {"hosts", all}};
}

std::vector<std::string> Report::lines() const {
    std::vector<std::string> lines;
    std::map<std::string, std::vector<std::string>> by_cause;
    std::vector<std::string> by_tree, anew, resumed;
    std::uint64_t least = bytes, most = 0, came = 0;
    for (const HostReport& host : hosts) {
        if (!host.cause.empty()) by_cause[host.cause].push_back(host.name);
        if (host.by_tree) by_tree.push_back(host.name);
        if (host.anew) anew.push_back(host.name);
        if (host.cause.empty()) came = std::max(came, bytes - std::min(bytes, host.kept));
        if (host.kept == 0) continue;
        resumed.push_back(host.name);
        least = std::min(least, host.kept);
        most = std::max(most, host.kept);
    }
    lines.reserve(by_cause.size() + 4);
    for (const auto& [cause, names] : by_cause)
        lines.push_back("bcast: " + fold_hosts(names) + ": " + cause);
    if (!by_tree.empty())
        lines.push_back("bcast: over the control tree, for want of a direct connection: " +
                        fold_hosts(by_tree));
    if (!anew.empty())
        lines.push_back("bcast: what an earlier one left is of another source, sent anew: " +
                        fold_hosts(anew));
    if (!resumed.empty()) {
        std::string part = bytes_text(static_cast<double>(least));
        if (most > least) part += " to " + bytes_text(static_cast<double>(most));
        lines.push_back("bcast: " + part + " was there from an earlier one: " + fold_hosts(resumed));
    }
    const double seconds = std::chrono::duration<double>(taken).count();
    std::string sum = std::to_string(have()) + " of " + std::to_string(hosts.size()) + " hosts have it";
    if (have() > 0)
        sum += ": " + bytes_text(static_cast<double>(bytes)) + " in " + seconds_text(seconds) + ", " +
               bytes_text(seconds > 0 ? static_cast<double>(came) / seconds : 0) + "/s";
    lines.push_back(std::move(sum));
    return lines;
}

}  // namespace trellis::plugins::bcast
