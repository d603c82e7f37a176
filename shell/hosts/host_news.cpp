#include "shell/hosts/host_news.hpp"

#include "agentd/model/host_range.hpp"

#include <utility>

namespace trellis {
namespace {

std::string news_text(const HostEntry& host) {
    if (host.state == HostState::lost) return "lost" + (host.cause.empty() ? "" : ": " + host.cause);
    return host.state == HostState::suspect ? "silent, nothing is sent there" : "speaks again";
}

}  // namespace

void HostNews::add(const HostEntry& host) {
    changed_[host.host.name] = host;
}

std::vector<std::string> HostNews::take(const std::map<std::string, Outcome>& told) {
    std::map<std::string, std::vector<std::string>> hosts;
    for (const auto& [name, host] : std::exchange(changed_, {})) {
        const auto outcome = told.find(name);
        const bool known = outcome != told.end() && outcome->second.state == Outcome::State::failed &&
                           outcome->second.kind == FailureKind::lost;
        if (host.state == HostState::lost && known) continue;
        if (host.state == HostState::alive && !silent_.contains(name)) continue;
        if (host.state == HostState::suspect)
            silent_.insert(name);
        else
            silent_.erase(name);
        hosts[news_text(host)].push_back(name);
    }
    std::vector<std::string> lines;
    lines.reserve(hosts.size());
    for (const auto& [text, names] : hosts)
        lines.push_back(fold_hosts(names) + ": " + text);
    return lines;
}

}  // namespace trellis
