// LoginPlan: how to log in to one target, made of the request's settings (as `ssh -G` prints them). Pure, but
// for the home directory and user name of the process that are used as defaults.
//
// The settings of jump hosts travel within those of the target: with a prefix "jump0 ", "jump1 ", ... before
// the keyword, in the order of the setting "proxyjump".
#pragma once

#include "trellis/result.hpp"
#include "trellis/spawner.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace trellis {

struct LoginPlan {
    std::string target;  // as given to ssh, without the user
    std::string host;    // where to connect to
    std::uint16_t port = 22;
    std::string user;
    std::string lookup;  // for known_hosts: "host" or "[host]:port", lower case
    int family = 0;      // AF_UNSPEC, AF_INET or AF_INET6
    bool compression = false;
    bool identities_only = false;
    bool publickey = true;                    // PubkeyAuthentication
    bool agent = true;                        // false: IdentityAgent none
    std::vector<std::string> identity_files;  // complete paths
    std::string proxy_command;                // complete; empty: none
    // Lists for libssh, in the order of preference; empty: its own.
    std::string key_exchanges;
    std::string host_key_algorithms;
    std::string ciphers;
    std::string macs;
    std::string publickey_algorithms;
};

// Where the process runs.
struct LoginPlace {
    std::string home;
    std::string user;
};
[[nodiscard]] LoginPlace own_login_place();

// Failure of kind invalid: a setting cannot be understood.
[[nodiscard]] Result<LoginPlan> make_login_plan(const SpawnRequest& request, const LoginPlace& place);

// The jump hosts on the way, first one first: requests of their own, with their part of the settings.
[[nodiscard]] std::vector<SpawnRequest> jump_requests(const SpawnRequest& request);

// "user@host", "ssh://user@[host]:port", "host" -> user and host (without brackets), port.
struct SshTarget {
    std::string user;
    std::string host;
    std::string port;
};
[[nodiscard]] SshTarget parse_ssh_target(std::string_view target);

// The algorithms of `list` with those first whose keys are known for the host (types as in known_hosts). An
// empty list stands for what libssh offers.
[[nodiscard]] std::string prefer_known(const std::string& list, const std::vector<std::string>& known_types);
// Where ssh would take ChaCha20 first, as it does unless it is told otherwise, AES-GCM before it, of what is
// allowed: it costs both ends of each link of the tree less.
[[nodiscard]] std::string prefer_gcm(const std::string& list);

}  // namespace trellis
