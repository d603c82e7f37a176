#include "agentd/os/ssh_login_plan.hpp"

#include "agentd/os/ssh_settings.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <pwd.h>
#include <sys/socket.h>
#include <unistd.h>

namespace trellis {

namespace {

std::string joined(const std::vector<std::string>& parts) {
    std::string list;
    for (const std::string& part : parts)
        list += (list.empty() ? "" : ",") + part;
    return list;
}

std::vector<std::string> split(std::string_view list) {
    std::vector<std::string> parts;
    while (!list.empty()) {
        const std::size_t end = std::min(list.find(','), list.size());
        if (end > 0) parts.emplace_back(list.substr(0, end));
        list.remove_prefix(std::min(end + 1, list.size()));
    }
    return parts;
}

// ssh's %-tokens that make sense here, and ~ at the beginning.
std::string expand(std::string_view text, const LoginPlan& plan, const LoginPlace& place) {
    std::string result;
    if (text.starts_with("~/")) {
        result = place.home;
        text.remove_prefix(1);
    }
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%' || i + 1 == text.size()) {
            result += text[i];
            continue;
        }
        switch (text[++i]) {
            case '%':
                result += '%';
                break;
            case 'd':
                result += place.home;
                break;
            case 'h':
                result += plan.host;
                break;
            case 'n':
                result += plan.target;
                break;
            case 'p':
                result += std::to_string(plan.port);
                break;
            case 'r':
                result += plan.user;
                break;
            case 'u':
                result += place.user;
                break;
            default:
                result.append({'%', text[i]});
        }
    }
    return result;
}

int family_of(const std::string& setting) {
    if (setting == "inet") return AF_INET;
    if (setting == "inet6") return AF_INET6;
    return AF_UNSPEC;
}

bool known_type_covers(const std::vector<std::string>& types, std::string_view algorithm) {
    return std::any_of(types.begin(), types.end(), [&](const std::string& type) {
        return algorithm == type || (type == "ssh-rsa" && algorithm.starts_with("rsa-sha2-"));
    });
}

void set_algorithms(LoginPlan& plan, const SshSettings& settings) {
    const auto known = settings.find("knownhostkeytypes");
    plan.key_exchanges = first_of(settings, "kexalgorithms");
    plan.host_key_algorithms = first_of(settings, "hostkeyalgorithms");
    if (known != settings.end())
        plan.host_key_algorithms = prefer_known(plan.host_key_algorithms, known->second);
    plan.ciphers = prefer_gcm(first_of(settings, "ciphers"));
    plan.macs = first_of(settings, "macs");
    plan.publickey_algorithms = first_of(settings, "pubkeyacceptedalgorithms");
    plan.compression = first_of(settings, "compression") == "yes";
}

void set_identities(LoginPlan& plan, const SshSettings& settings, const LoginPlace& place) {
    plan.identities_only = first_of(settings, "identitiesonly") == "yes";
    plan.publickey = first_of(settings, "pubkeyauthentication", "yes") != "no";
    plan.agent = first_of(settings, "identityagent") != "none";
    const auto files = settings.find("identityfile");
    const std::vector<std::string> usual{"~/.ssh/id_ed25519", "~/.ssh/id_ecdsa", "~/.ssh/id_rsa"};
    for (const std::string& file : files == settings.end() ? usual : files->second)
        if (file != "none") plan.identity_files.push_back(expand(file, plan, place));
}

void set_lookup(LoginPlan& plan, const SshSettings& settings) {
    const std::string alias = first_of(settings, "hostkeyalias");
    plan.lookup = lower_case(alias.empty() ? plan.host : alias);
    if (alias.empty() && plan.port != 22) plan.lookup = "[" + plan.lookup + "]:" + std::to_string(plan.port);
}

}  // namespace

LoginPlace own_login_place() {
    LoginPlace place;
    const passwd* entry = ::getpwuid(::getuid());
    if (const char* home = std::getenv("HOME")) place.home = home;
    if (place.home.empty() && entry) place.home = entry->pw_dir;
    if (entry) place.user = entry->pw_name;
    const char* user = std::getenv("USER");
    if (place.user.empty() && user) place.user = user;
    return place;
}

SshTarget parse_ssh_target(std::string_view target) {
    SshTarget result;
    const bool uri = target.starts_with("ssh://");
    if (uri) target.remove_prefix(6);
    if (const std::size_t at = target.rfind('@'); at != std::string_view::npos) {
        result.user = target.substr(0, at);
        target.remove_prefix(at + 1);
    }
    if (target.starts_with('[') && target.find(']') != std::string_view::npos) {
        const std::size_t close = target.find(']');
        result.host = target.substr(1, close - 1);
        if (target.substr(close + 1).starts_with(':')) result.port = target.substr(close + 2);
        return result;
    }
    const std::size_t colon = target.find(':');
    const bool port =
        colon != std::string_view::npos && target.find(':', colon + 1) == std::string_view::npos;
    result.host = target.substr(0, port ? colon : target.size());
    if (port) result.port = target.substr(colon + 1);
    return result;
}

std::string prefer_known(const std::string& list, const std::vector<std::string>& known_types) {
    const std::string offered =
        "ssh-ed25519,ecdsa-sha2-nistp256,ecdsa-sha2-nistp384,ecdsa-sha2-nistp521,rsa-sha2-512,rsa-sha2-256";
    std::vector<std::string> algorithms = split(list.empty() ? offered : list);
    std::stable_partition(algorithms.begin(), algorithms.end(), [&](const std::string& algorithm) {
        return known_type_covers(known_types, algorithm);
    });
    return joined(algorithms);
}

std::string prefer_gcm(const std::string& list) {
    if (!list.starts_with("chacha20-poly1305@openssh.com")) return list;
    std::vector<std::string> ciphers = split(list);
    std::stable_partition(ciphers.begin(), ciphers.end(),
                          [](const std::string& cipher) { return cipher.find("gcm") != std::string::npos; });
    return joined(ciphers);
}

Result<LoginPlan> make_login_plan(const SpawnRequest& request, const LoginPlace& place) {
    const SshSettings& settings = request.settings;
    const SshTarget target = parse_ssh_target(request.target);
    LoginPlan plan;
    plan.target = target.host;
    plan.host = first_of(settings, "hostname", target.host);
    plan.user = target.user.empty() ? first_of(settings, "user", place.user) : target.user;
    plan.family = family_of(first_of(settings, "addressfamily"));
    const std::string port = target.port.empty() ? first_of(settings, "port", "22") : target.port;
    const auto parsed = std::from_chars(port.data(), port.data() + port.size(), plan.port);
    if (plan.host.empty() || parsed.ec != std::errc() || *parsed.ptr != '\0' || plan.port == 0)
        return Failure{FailureKind::invalid, "log in", request.name, "no host and port in " + request.target};
    set_lookup(plan, settings);
    set_algorithms(plan, settings);
    set_identities(plan, settings, place);
    const std::string command = first_of(settings, "proxycommand", "none");
    if (command != "none") plan.proxy_command = expand(command, plan, place);
    return plan;
}

std::vector<SpawnRequest> jump_requests(const SpawnRequest& request) {
    std::vector<SpawnRequest> result;
    const std::string list = first_of(request.settings, "proxyjump", "none");
    if (list == "none") return result;
    for (const std::string& jump : split(list)) {
        SpawnRequest part = request;
        part.name = part.target = jump;
        part.settings.clear();
        const std::string prefix = "jump" + std::to_string(result.size()) + " ";
        for (const auto& [keyword, values] : request.settings)
            if (keyword.starts_with(prefix)) part.settings[keyword.substr(prefix.size())] = values;
        part.settings.erase("proxyjump");
        result.push_back(std::move(part));
    }
    return result;
}

}  // namespace trellis
