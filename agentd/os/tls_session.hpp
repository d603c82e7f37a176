// TLS 1.3 with one pre-shared key per connection: no certificates, no tickets, no early data. Whoever
// completes the handshake holds the key, which both sides derive from their pair's secret and the random of
// the hello that went before. The contexts belong to the network, the key to the connection.
#pragma once

#include "agentd/core/pair_key.hpp"

#include <memory>
#include <string_view>

#include <openssl/types.h>

namespace trellis {

// TLS_AES_128_GCM_SHA256 over X25519.
using TlsContext = std::shared_ptr<SSL_CTX>;
TlsContext make_tls_context();

// The key of the connection that began with `random`.
SecretKey tls_key(const SecretKey& pair, std::string_view random);

// What a connection's handshake begins with, and the secrets of its data (RFC 8446, section 7.1), which both
// ends have when it is done.
struct TlsSecrets {
    SecretKey shared;
    SecretKey from_client, from_server;
    int found = 0;  // of these two
};

// Before the handshake; `secrets` outlive the connection.
void use_secrets(SSL* connection, TlsSecrets& secrets);

// After the handshake: that it rests on the key, and that the secrets are there.
bool proven(SSL* connection);

}  // namespace trellis
