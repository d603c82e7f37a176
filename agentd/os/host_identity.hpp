// What an agent can say about the machine that it runs on: name, architecture, addresses, and a fingerprint
// by which two names of one machine are noticed. Reads the system once; owns nothing.
#pragma once

#include "trellis/host.hpp"

#include <string>
#include <vector>

namespace trellis {

struct HostIdentity {
    std::string name;          // uname's node name
    std::string architecture;  // "x86_64"
    // 32 hex digits. Equal for two agents of one machine in one network namespace, different for two emulated
    // hosts on one machine.
    std::string machine;
    // Of the interfaces that are up, in the kernel's order of interfaces, IPv4 before IPv6; without
    // link-local ones; loopback only if there is nothing else.
    std::vector<Address> addresses;
};

HostIdentity identify_host();

// "10.1.0.3" with prefix 8 is on "10.0.0.0/8"; empty if `ip` is no numeric address or the prefix too long.
std::string network_of(const std::string& ip, unsigned prefix);

}  // namespace trellis
