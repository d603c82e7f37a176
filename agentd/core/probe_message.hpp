// The messages of probing after the hello: the welcome with which a listener proves itself, and probes: a
// sequence number and a keyed MAC, 16 bytes each way. Both sides know every byte of the next message before
// it comes, so that checking it costs one comparison in the round trip. No I/O.
#pragma once

#include "agentd/core/pair_key.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <openssl/types.h>

namespace trellis {

inline constexpr std::size_t welcome_random_size = 16;
inline constexpr std::size_t welcome_size = welcome_random_size + mac_size;

// The listener's answer to a hello: its random and a MAC over the hello and it.
std::string make_welcome(const SecretKey& key, std::string_view hello, std::string_view random);
bool check_welcome(const SecretKey& key, std::string_view hello, std::string_view welcome);

using ProbeMessage = std::array<char, 16>;

// The probes of one connection, keyed by the pair's secret and the randoms of both sides.
class ProbeMessages {
  public:
    ProbeMessages(const SecretKey& key, std::string_view hello, std::string_view welcome);
    ~ProbeMessages();
    ProbeMessages(const ProbeMessages&) = delete;
    ProbeMessages& operator=(const ProbeMessages&) = delete;

    ProbeMessage request(std::uint64_t sequence) { return message('q', sequence); }
    ProbeMessage reply(std::uint64_t sequence) { return message('r', sequence); }

  private:
    ProbeMessage message(char direction, std::uint64_t sequence);
    SecretKey key_;
    EVP_MAC_CTX* mac_;
};

}  // namespace trellis
