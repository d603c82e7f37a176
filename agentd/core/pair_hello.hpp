// PairHello: the first bytes on every direct connection between two agents, of one fixed size, so that
// nothing is parsed and nothing answered before the other side has proved which participant it is. HelloGate
// checks them on the listening side; owned by one listener; it keeps no state for strangers.
#pragma once

#include "agentd/core/pair_key.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

namespace trellis {

inline constexpr std::size_t hello_random_size = 16;
// Magic, operation, source, target, random, MAC.
inline constexpr std::size_t hello_size = 8 + 4 + 4 + 4 + hello_random_size + mac_size;

// What a connector sends; `random` is new for each connection. `key` is that of the pair and purpose.
std::string make_hello(const SecretKey& key, const PairKeys& keys, HostId peer, std::string_view random);

class HelloGate {
  public:
    // `keys` outlives the gate.
    explicit HelloGate(PairKeys& keys) : keys_(keys) {}

    struct Greeted {
        HostId peer{};
        SecretKey key;       // of the pair
        std::string random;  // the connector's
    };
    // Who greets; nullopt if this is no hello, not for this operation and host, not by who it claims to be,
    // or seen before.
    std::optional<Greeted> check(std::string_view hello);
    // A hello for this operation and host, by who is no participant yet.
    [[nodiscard]] bool from_unknown(std::string_view hello) const;

  private:
    [[nodiscard]] bool for_this_host(std::string_view hello) const;

    static constexpr std::size_t max_seen = std::size_t{1} << 20;
    PairKeys& keys_;
    std::unordered_set<std::string> seen_;  // randoms of genuine hellos, against replay
};

}  // namespace trellis
