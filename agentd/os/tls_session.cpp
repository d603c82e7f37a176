#include "agentd/os/tls_session.hpp"

#include <memory>
#include <new>
#include <stdexcept>
#include <string>

#include <openssl/crypto.h>
#include <openssl/ssl.h>

namespace trellis {
namespace {

// The hello before has said who it is: the name is the same for all.
constexpr std::string_view identity = "trellis";

const unsigned char* identity_bytes() {
    return reinterpret_cast<const unsigned char*>(identity.data());
}

int secrets_index() {
    static const int index = SSL_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
    return index;
}

TlsSecrets* secrets_of(const SSL* connection) {
    return static_cast<TlsSecrets*>(SSL_get_ex_data(connection, secrets_index()));
}

// A line of OpenSSL's key log: a label, the client's random, and the secret in hexadecimal.
void note_secret(const SSL* connection, const char* line) {
    TlsSecrets* secrets = secrets_of(connection);
    const std::string_view text(line);
    SecretKey* place = nullptr;
    if (text.starts_with("CLIENT_TRAFFIC_SECRET_0 ")) place = &secrets->from_client;
    if (text.starts_with("SERVER_TRAFFIC_SECRET_0 ")) place = &secrets->from_server;
    if (place == nullptr) return;
    std::size_t size = 0;
    if (OPENSSL_hexstr2buf_ex(place->data(), SecretKey::size, &size, line + text.rfind(' ') + 1, '\0') == 1)
        secrets->found += size == SecretKey::size ? 1 : 0;
}

// Owned by the caller; null if this fails.
SSL_SESSION* session_with_key(SSL* connection) {
    const TlsSecrets* secrets = secrets_of(connection);
    const unsigned char aes_128_gcm_sha256[] = {0x13, 0x01};
    const SSL_CIPHER* cipher = SSL_CIPHER_find(connection, aes_128_gcm_sha256);
    std::unique_ptr<SSL_SESSION, decltype(&SSL_SESSION_free)> session(SSL_SESSION_new(), &SSL_SESSION_free);
    const bool made =
        secrets != nullptr && cipher != nullptr && session &&
        SSL_SESSION_set1_master_key(session.get(), secrets->shared.data(), SecretKey::size) == 1 &&
        SSL_SESSION_set_cipher(session.get(), cipher) == 1 &&
        SSL_SESSION_set1_id_context(session.get(), identity_bytes(), identity.size()) == 1 &&
        SSL_SESSION_set_protocol_version(session.get(), TLS1_3_VERSION) == 1;
    return made ? session.release() : nullptr;
}

int client_key(SSL* connection, const EVP_MD*, const unsigned char** id, std::size_t* id_size,
               SSL_SESSION** session) {
    *id = identity_bytes();
    *id_size = identity.size();
    *session = session_with_key(connection);
    return *session != nullptr ? 1 : 0;
}

int server_key(SSL* connection, const unsigned char* id, std::size_t id_size, SSL_SESSION** session) {
    const std::string_view offered(reinterpret_cast<const char*>(id), id_size);
    *session = offered == identity ? session_with_key(connection) : nullptr;
    return *session != nullptr ? 1 : 0;
}

}  // namespace

TlsContext make_tls_context() {
    TlsContext context(SSL_CTX_new(TLS_method()), &SSL_CTX_free);
    SSL_CTX* raw = context.get();
    if (raw == nullptr) throw std::bad_alloc();
    // Without a key the client would want a certificate that it can verify: there is none.
    SSL_CTX_set_verify(raw, SSL_VERIFY_PEER, nullptr);
    SSL_CTX_set_session_cache_mode(raw, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_options(raw, SSL_OP_NO_TICKET);
    SSL_CTX_set_keylog_callback(raw, &note_secret);
    SSL_CTX_set_psk_use_session_callback(raw, &client_key);
    SSL_CTX_set_psk_find_session_callback(raw, &server_key);
    if (SSL_CTX_set_session_id_context(raw, identity_bytes(), identity.size()) != 1 ||
        SSL_CTX_set_min_proto_version(raw, TLS1_3_VERSION) != 1 || SSL_CTX_set_num_tickets(raw, 0) != 1 ||
        SSL_CTX_set_ciphersuites(raw, "TLS_AES_128_GCM_SHA256") != 1 ||
        SSL_CTX_set1_groups_list(raw, "X25519") != 1) {
        throw std::runtime_error("this OpenSSL cannot do TLS 1.3 as needed");
    }
    return context;
}

SecretKey tls_key(const SecretKey& pair, std::string_view random) {
    return derive_key(pair, "tls" + std::string(random));
}

void use_secrets(SSL* connection, TlsSecrets& secrets) {
    SSL_set_ex_data(connection, secrets_index(), &secrets);
}

bool proven(SSL* connection) {
    return SSL_version(connection) == TLS1_3_VERSION && SSL_session_reused(connection) == 1 &&
           secrets_of(connection)->found == 2;
}

}  // namespace trellis
