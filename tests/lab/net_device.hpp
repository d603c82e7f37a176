// Network devices of the calling thread's own network namespace: a host's loopback and the TUN devices that
// stand for its network cards. The caller owns the descriptor of a TUN device; the device lives as long as
// that is open. Errors are thrown as LabError.
#pragma once

#include "tests/lab/topology_file.hpp"
#include "tests/lab/unique_fd.hpp"

#include <string>
#include <vector>

namespace trellis::lab {

struct CardShape {
    std::string device;  // net0, net1, ...
    std::vector<Address> addresses;
    int mtu = 1500;
    bool offload = true;  // large packets; off where single packets must be lost
};

// Creates the device, sets its addresses (every address of a prefix is on the link: no routes, no ARP) and
// brings it up.
UniqueFd open_card(const CardShape& shape);

void bring_loopback_up();

// Takes the card's carrier away or gives it back, as if the cable had been pulled out of the host.
void set_carrier(int card, bool on);

// Writes a file below /proc/sys of this network namespace; an unknown name is passed over.
void set_sysctl(const std::string& name, const std::string& value);

}  // namespace trellis::lab
