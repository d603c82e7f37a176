#include "agentd/os/user_authority.hpp"

#include "agentd/os/ssh_login_plan.hpp"
#include "agentd/os/ssh_settings.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

namespace trellis {
namespace {

constexpr std::uint32_t most_agent_bytes = 1 << 18;
constexpr std::size_t most_jumps = 8;

std::string home_path(const std::string& path) {
    if (!path.starts_with("~/")) return path;
    const char* home = std::getenv("HOME");
    return (home ? home : "") + path.substr(1);
}

std::string read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return std::move(text).str();
}

std::string host_part(const std::string& target) {
    return target.substr(target.rfind('@') + 1);
}

// Every line of `ssh -G` is "keyword value"; some values are lists of files.
SshSettings parse_settings(const std::string& text) {
    SshSettings settings;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
        const std::size_t space = line.find(' ');
        if (space == std::string::npos) continue;
        const std::string keyword = line.substr(0, space);
        const std::string value = line.substr(space + 1);
        if (keyword != "userknownhostsfile" && keyword != "globalknownhostsfile") {
            settings[keyword].push_back(value);
            continue;
        }
        std::istringstream files(value);
        for (std::string file; files >> file;)
            settings[keyword].push_back(file);
    }
    return settings;
}

std::vector<std::string> split_list(const std::string& list) {
    std::vector<std::string> parts;
    std::istringstream stream(list);
    for (std::string part; std::getline(stream, part, ',');)
        if (!part.empty()) parts.push_back(part);
    return parts;
}

// `ssh -G` takes a port only in this form.
std::string as_uri(const std::string& jump) {
    const SshTarget target = parse_ssh_target(jump);
    if (target.port.empty() || jump.starts_with("ssh://")) return jump;
    const bool numeric = target.host.find(':') != std::string::npos;
    const std::string host = numeric ? "[" + target.host + "]" : target.host;
    return "ssh://" + (target.user.empty() ? "" : target.user + "@") + host + ":" + target.port;
}

std::string lookup_name(const SshSettings& settings) {
    const std::string host = first_of(settings, "hostkeyalias", first_of(settings, "hostname", ""));
    const std::string port = first_of(settings, "port", "22");
    return lower_case(port == "22" ? host : "[" + host + "]:" + port);
}

std::vector<std::string> known_hosts_files(const SshSettings& settings) {
    std::vector<std::string> files;
    for (const char* keyword : {"userknownhostsfile", "globalknownhostsfile"}) {
        const auto place = settings.find(keyword);
        if (place == settings.end()) continue;
        for (const std::string& file : place->second)
            files.push_back(home_path(file));
    }
    return files;
}

Failure refused_key(const SpawnRequest& request, std::string why) {
    return {FailureKind::refused, "log in", request.name, "host key " + std::move(why)};
}

std::string line_of(const KnownHosts::Verdict& verdict) {
    return " (" + verdict.path + " line " + std::to_string(verdict.line) + ")";
}

Failure no_agent(std::string why) {
    return {FailureKind::unavailable, "ask ssh-agent", "", std::move(why)};
}

}  // namespace

// The groups whose `ssh -G` runs. Shared with the coroutines that ask, which may be destroyed later.
struct UserAuthority::Asking {
    explicit Asking(const Executor& executor) : answered(executor) {}
    std::set<std::string> groups;
    Signal answered;
};

// While one run of ssh -G is under way, for those who wait for its answer.
struct UserAuthority::Answered {
    std::shared_ptr<Asking> asking;
    std::string question;
    ~Answered() {
        asking->groups.erase(question);
        asking->answered.notify();
    }
};

UserAuthority::UserAuthority(Executor executor, Processes& processes, std::string agent_file,
                             std::vector<std::string> ssh_options)
    : executor_(std::move(executor)),
      processes_(processes),
      image_(std::move(agent_file)),
      ssh_options_(std::move(ssh_options)),
      asking_(std::make_shared<Asking>(executor_)) {
    groups_.add_text(read_ssh_configs(ssh_options_));
}

Task<Result<SshSettings>> UserAuthority::run_ssh(std::string target) {
    ProcessSpec spec;
    spec.argv = {"ssh", "-G"};
    spec.argv.insert(spec.argv.end(), ssh_options_.begin(), ssh_options_.end());
    spec.argv.insert(spec.argv.end(), {"--", target});
    auto started = processes_.start(spec);
    if (!started) co_return started.error();
    Process& process = **started;
    std::string text, complaint;
    for (std::string bytes = "."; !bytes.empty();) {
        bytes = co_await process.read(Process::out);
        text += bytes;
    }
    for (std::string bytes = "."; !bytes.empty();) {
        bytes = co_await process.read(Process::err);
        complaint += bytes;
    }
    const ExitStatus status = co_await process.wait();
    if (status.signalled || status.code != 0) {
        complaint.erase(complaint.find_last_not_of("\r\n") + 1);
        co_return Failure{FailureKind::invalid, "read ssh's settings", target, "ssh -G: " + complaint};
    }
    co_return parse_settings(text);
}

// Hosts of one group have the same settings but for the name, unless a HostName is set for them.
Task<Result<SshSettings>> UserAuthority::settings_of_group(std::string target) {
    const auto group = groups_.group_of(target);
    if (!group) co_return co_await run_ssh(target);
    while (asking_->groups.contains(*group))
        co_await asking_->answered.wait();
    if (const auto place = cache_.find(*group); place != cache_.end()) {
        const Cached& cached = place->second;
        if (first_of(cached.settings, "hostname", "") == host_part(cached.target)) {
            SshSettings settings = cached.settings;
            settings["hostname"] = {host_part(target)};
            co_return settings;
        }
        if (cached.target == target) co_return cached.settings;
        co_return co_await run_ssh(target);
    }
    asking_->groups.insert(*group);
    const Answered answered{asking_, *group};
    auto settings = co_await run_ssh(target);
    if (settings) cache_[*group] = Cached{target, *settings};
    co_return settings;
}

Task<Result<SshSettings>> UserAuthority::settings(std::string target) {
    auto settings = co_await settings_of_group(std::move(target));
    if (!settings) co_return settings;
    add_known_types(*settings);
    if (first_of(*settings, "proxyjump", "none") == "none") co_return settings;
    const Result<void> added = co_await add_jumps(*settings);
    if (!added) co_return added.error();
    co_return settings;
}

void UserAuthority::add_known_types(SshSettings& settings) {
    settings["knownhostkeytypes"] = known_hosts(settings).key_types(lookup_name(settings));
}

// ssh reaches the first jump host as that host's own configuration says, the others only through one another.
Task<Result<void>> UserAuthority::add_jumps(SshSettings& settings) {
    std::vector<std::string> jumps = split_list(first_of(settings, "proxyjump", ""));
    for (std::size_t depth = 0; depth < most_jumps && !jumps.empty(); ++depth) {
        const auto first = co_await settings_of_jump(jumps.front());
        if (!first) co_return first.error();
        const std::string before = first_of(*first, "proxyjump", "none");
        if (before == "none") break;
        const std::vector<std::string> more = split_list(before);
        jumps.insert(jumps.begin(), more.begin(), more.end());
    }
    std::string list;
    for (std::size_t i = 0; i < jumps.size(); ++i) {
        const auto jump = co_await settings_of_jump(jumps[i]);
        if (!jump) co_return jump.error();
        for (const auto& [keyword, values] : *jump)
            settings["jump" + std::to_string(i) + " " + keyword] = values;
        list += (list.empty() ? "" : ",") + jumps[i];
    }
    settings["proxyjump"] = {list};
    co_return Result<void>{};
}

Task<Result<SshSettings>> UserAuthority::settings_of_jump(std::string jump) {
    while (asking_->groups.contains(jump))
        co_await asking_->answered.wait();
    if (const auto place = jumps_.find(jump); place != jumps_.end()) co_return place->second;
    asking_->groups.insert(jump);
    const Answered answered{asking_, jump};
    auto settings = co_await run_ssh(as_uri(jump));
    if (!settings) co_return settings;
    add_known_types(*settings);
    jumps_[jump] = *settings;
    co_return settings;
}

const KnownHosts& UserAuthority::known_hosts(const SshSettings& settings) {
    const auto files = known_hosts_files(settings);
    std::string name;
    for (const std::string& file : files)
        name += file + '\n';
    const auto [place, added] = known_hosts_.try_emplace(name);
    if (!added) return place->second;
    for (const std::string& file : files)
        place->second.add_file(file, read_file(file));
    return place->second;
}

Task<Result<void>> UserAuthority::check_host_key(const SpawnRequest& request, std::string lookup,
                                                 std::string key) {
    const KnownHosts::Verdict verdict = known_hosts(request.settings).check(lookup, key);
    const std::string shown = key_type(key) + " " + key_fingerprint(key);
    switch (verdict.finding) {
        case KnownHosts::Finding::known:
            co_return Result<void>{};
        case KnownHosts::Finding::revoked:
            co_return refused_key(request, "revoked" + line_of(verdict));
        case KnownHosts::Finding::changed:
            co_return refused_key(request, "changed: it is now " + shown + line_of(verdict));
        case KnownHosts::Finding::unknown:
            break;
    }
    const std::string strict = first_of(request.settings, "stricthostkeychecking", "ask");
    if (strict == "accept-new" || strict == "no" || strict == "off" || strict == "false") {
        accept_new_key(request, lookup, key);
        co_return Result<void>{};
    }
    std::string why = "unknown: " + shown + "; to accept it, log in once with ssh " + request.target;
    if (verdict.certificate_authority) why += "; host certificates need the way ssh-program (see: use)";
    co_return refused_key(request, std::move(why));
}

void UserAuthority::accept_new_key(const SpawnRequest& request, const std::string& lookup,
                                   const std::string& key) {
    const std::string path =
        home_path(first_of(request.settings, "userknownhostsfile", "~/.ssh/known_hosts"));
    std::ofstream file(path, std::ios::app);
    file << lookup << ' ' << key_type(key) << ' ' << base64_encode(key) << '\n';
    known_hosts_.clear();
}

Task<Result<std::string>> UserAuthority::full_agent(std::uint64_t from) {
    constexpr std::size_t piece = std::size_t{64} << 10;
    if (!full_) {
        auto parcel = image_.parcel(AgentForm::full);
        if (!parcel) co_return parcel.error();
        full_ = std::move(*parcel);
    }
    if (!full_) co_return Failure{FailureKind::cannot_start, "start the agent", "", "it has no other form"};
    co_return full_->substr(std::min<std::size_t>(from, full_->size()), piece);
}

Task<Result<std::string>> UserAuthority::ask_agent(std::string request) {
    const char* path = std::getenv("SSH_AUTH_SOCK");
    if (!path || !*path) co_return no_agent("SSH_AUTH_SOCK is not set");
    asio::local::stream_protocol::socket socket(executor_);
    const auto token = asio::as_tuple(asio::use_awaitable);
    const asio::local::stream_protocol::endpoint endpoint{std::string(path)};
    if (const auto [error] = co_await socket.async_connect(endpoint, token); error)
        co_return no_agent(error.message());
    const auto size = static_cast<std::uint32_t>(request.size());
    for (const int shift : {0, 8, 16, 24})
        request.insert(request.begin(), static_cast<char>(size >> shift));
    if (const auto [error, sent] = co_await asio::async_write(socket, asio::buffer(request), token); error) {
        co_return no_agent(error.message());
    }
    std::array<unsigned char, 4> length{};
    if (const auto [error, got] = co_await asio::async_read(socket, asio::buffer(length), token); error) {
        co_return no_agent(error.message());
    }
    const std::uint32_t reply_size = std::uint32_t{length[0]} << 24 | std::uint32_t{length[1]} << 16 |
                                     std::uint32_t{length[2]} << 8 | length[3];
    if (reply_size > most_agent_bytes) co_return no_agent("it answers too much");
    std::string reply(reply_size, '\0');
    if (const auto [error, got] = co_await asio::async_read(socket, asio::buffer(reply), token); error) {
        co_return no_agent(error.message());
    }
    co_return reply;
}

}  // namespace trellis
