// The ssh keys of one laboratory: one user key with which every host logs in to every other, and a host key
// for each host. Made afresh for each laboratory; worthless outside it. A plain value.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace trellis::lab {

struct KeyPair {
    std::string secret;  // as in a file of OpenSSH
    std::string open;    // "ssh-ed25519 AAAA..."
};

struct LabKeys {
    KeyPair user;
    std::vector<KeyPair> hosts;  // by host index
};

// Throws LabError if the keys cannot be made.
LabKeys make_keys(std::size_t hosts);

}  // namespace trellis::lab
