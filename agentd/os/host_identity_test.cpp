#include "agentd/os/host_identity.hpp"

#include <gtest/gtest.h>

namespace trellis {
namespace {

TEST(HostIdentity, NetworkOfAnAddress) {
    EXPECT_EQ(network_of("10.1.0.3", 8), "10.0.0.0/8");
    EXPECT_EQ(network_of("192.168.7.130", 25), "192.168.7.128/25");
    EXPECT_EQ(network_of("10.1.0.3", 32), "10.1.0.3/32");
    EXPECT_EQ(network_of("10.1.0.3", 0), "0.0.0.0/0");
    EXPECT_EQ(network_of("fd00:1::7", 8), "fd00::/8");
    EXPECT_EQ(network_of("10.1.0.3", 33), "");
    EXPECT_EQ(network_of("host", 8), "");
}

TEST(HostIdentity, ThisMachineHasOne) {
    const HostIdentity identity = identify_host();
    EXPECT_FALSE(identity.name.empty());
    EXPECT_FALSE(identity.architecture.empty());
    EXPECT_EQ(identity.machine.size(), 32U);
    EXPECT_EQ(identity.machine, identify_host().machine);
    for (const Address& address : identity.addresses) {
        EXPECT_NE(address.network.find('/'), std::string::npos) << address.ip;
        EXPECT_FALSE(address.ip.starts_with("fe80:"));
    }
}

}  // namespace
}  // namespace trellis
