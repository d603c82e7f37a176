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

// Before the handshake; `key` outlives the connection.
void use_key(SSL* connection, const SecretKey& key);

// After the handshake: that it rests on the key.
bool proven(SSL* connection);

}  // namespace trellis
