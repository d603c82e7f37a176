// The keys of the data plane. SessionKey is the X25519 key pair of one incarnation of an agent, owned by
// main.cpp; its private half never leaves it. From it, a peer's public key and the nonce that the root draws
// for each operation comes the secret of that pair, for that operation and purpose alone.
#pragma once

#include "trellis/peer.hpp"
#include "trellis/result.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <openssl/types.h>

namespace trellis {

// 32 secret bytes, wiped when they are no longer needed.
class SecretKey {
  public:
    static constexpr std::size_t size = 32;
    SecretKey() = default;
    SecretKey(const SecretKey&) = default;
    SecretKey& operator=(const SecretKey&) = default;
    ~SecretKey();

    [[nodiscard]] const unsigned char* data() const { return bytes_.data(); }
    [[nodiscard]] unsigned char* data() { return bytes_.data(); }
    friend bool operator==(const SecretKey& a, const SecretKey& b);  // in constant time

  private:
    std::array<unsigned char, size> bytes_{};
};

enum class PairPurpose : std::uint8_t { probe = 'p', stream = 's', plain_stream = 'c' };

// Safe to use from several threads at once.
class SessionKey {
  public:
    SessionKey();  // a new pair; throws only if the system has no randomness

    [[nodiscard]] const PublicKey& public_key() const { return public_key_; }
    // HKDF-SHA256 (RFC 5869) of the X25519 secret (RFC 7748); salt: the nonce of the operation; info: its id,
    // both host ids in order and the purpose. Both ends get the same. Failures (invalid): the peer takes no
    // part, its key or the nonce is malformed.
    [[nodiscard]] Result<SecretKey> pair_key(const PeerSession& session, HostId peer,
                                             PairPurpose purpose) const;

  private:
    std::shared_ptr<EVP_PKEY> key_;
    PublicKey public_key_;
};

// The secrets of one session, each derived when it is first asked for: a stranger who claims to be a
// participant costs one derivation per participant in all. Not for several threads.
class PairKeys {
  public:
    PairKeys(std::shared_ptr<const SessionKey> own, PeerSession session, PairPurpose purpose);

    [[nodiscard]] const PeerSession& session() const { return session_; }
    [[nodiscard]] PairPurpose purpose() const { return purpose_; }
    // Participants that the session lacked, or had with other keys.
    void introduce(const std::vector<Host>& peers);
    [[nodiscard]] const Result<SecretKey>& of(HostId peer);
    // The name of a participant, for messages; empty if there is none.
    [[nodiscard]] std::string name_of(HostId peer) const;

  private:
    std::shared_ptr<const SessionKey> own_;
    PeerSession session_;
    PairPurpose purpose_;
    std::map<HostId, Result<SecretKey>> keys_;
};

inline constexpr std::size_t session_nonce_size = 32;

// The participant with this id, or null.
const Host* find_participant(const PeerSession& session, HostId id);
// In place of the participant with its id, if there is one.
void introduce(PeerSession& session, const Host& peer);

// HMAC-SHA256 of `text`: a further secret from a secret.
SecretKey derive_key(const SecretKey& key, std::string_view text);

inline constexpr std::size_t mac_size = 16;
// The first 16 bytes of HMAC-SHA256 of `text`.
std::string keyed_mac(const SecretKey& key, std::string_view text);

// `size` bytes that nobody can guess.
std::string random_bytes(std::size_t size);

// Equality of two strings in a time that does not depend on where they differ.
bool same_secret(std::string_view a, std::string_view b);

}  // namespace trellis
