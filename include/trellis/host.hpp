// A host as the session knows it: an identity that the root gives, an incarnation for each start of its
// agent, and attributes (name, ssh target, addresses). Plain values; they know no operation.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace trellis {

// Given by the root, never reused within a session.
enum class HostId : std::uint32_t {};
inline constexpr HostId root_id{0};

// Counts the starts of a host's agent.
enum class Incarnation : std::uint32_t {};

// One address of a host and the network that it is on, e.g. {"10.1.0.3", "10.0.0.0/8"}; IPv4 or IPv6,
// numeric.
struct Address {
    std::string ip;
    std::string network;
    friend bool operator==(const Address&, const Address&) = default;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(ip, network);
    }
};

// X25519 public key of one incarnation of an agent (32 bytes, raw).
using PublicKey = std::string;

struct Host {
    HostId id{};
    Incarnation incarnation{};
    std::string name;     // as the user wrote it
    std::string machine;  // fingerprint of the machine: equal for two names of one machine
    std::vector<Address> addresses;
    PublicKey key;
    friend bool operator==(const Host&, const Host&) = default;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(id, incarnation, name, machine, addresses, key);
    }
};

}  // namespace trellis
