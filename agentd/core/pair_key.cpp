#include "agentd/core/pair_key.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/rand.h>

namespace trellis {
namespace {

using Bytes32 = std::array<unsigned char, 32>;

Failure invalid(std::string host, std::string cause) {
    return {FailureKind::invalid, "derive the key of a pair", std::move(host), std::move(cause)};
}

void append_number(std::string& text, std::uint32_t number) {
    for (int shift = 0; shift < 32; shift += 8)
        text.push_back(static_cast<char>(number >> shift & 0xff));
}

std::string info_of(const PeerSession& session, HostId peer, PairPurpose purpose) {
    const auto [low, high] = std::minmax(session.self, peer);
    std::string info = "trellis pair 1";
    append_number(info, static_cast<std::uint32_t>(session.operation));
    append_number(info, static_cast<std::uint32_t>(low));
    append_number(info, static_cast<std::uint32_t>(high));
    info.push_back(static_cast<char>(purpose));
    return info;
}

// Refuses public keys of low order: the shared secret would be all zeros.
bool agree(EVP_PKEY* own, const PublicKey& peer, Bytes32& secret) {
    const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> other(
        EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, nullptr,
                                    reinterpret_cast<const unsigned char*>(peer.data()), peer.size()),
        &EVP_PKEY_free);
    const std::unique_ptr<EVP_PKEY_CTX, decltype(&EVP_PKEY_CTX_free)> context(EVP_PKEY_CTX_new(own, nullptr),
                                                                              &EVP_PKEY_CTX_free);
    std::size_t size = secret.size();
    return other && context && EVP_PKEY_derive_init(context.get()) == 1 &&
           EVP_PKEY_derive_set_peer(context.get(), other.get()) == 1 &&
           EVP_PKEY_derive(context.get(), secret.data(), &size) == 1 && size == secret.size();
}

OSSL_PARAM octets(const char* name, const void* data, std::size_t size) {
    return OSSL_PARAM_construct_octet_string(name, const_cast<void*>(data), size);
}

bool extract_and_expand(const Bytes32& secret, const std::string& salt, const std::string& info,
                        SecretKey& key) {
    const std::unique_ptr<EVP_KDF, decltype(&EVP_KDF_free)> kdf(EVP_KDF_fetch(nullptr, "HKDF", nullptr),
                                                                &EVP_KDF_free);
    const std::unique_ptr<EVP_KDF_CTX, decltype(&EVP_KDF_CTX_free)> context(EVP_KDF_CTX_new(kdf.get()),
                                                                            &EVP_KDF_CTX_free);
    char digest[] = "SHA256";
    const OSSL_PARAM parameters[] = {OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest, 0),
                                     octets(OSSL_KDF_PARAM_KEY, secret.data(), secret.size()),
                                     octets(OSSL_KDF_PARAM_SALT, salt.data(), salt.size()),
                                     octets(OSSL_KDF_PARAM_INFO, info.data(), info.size()),
                                     OSSL_PARAM_construct_end()};
    return context && EVP_KDF_derive(context.get(), key.data(), SecretKey::size, parameters) == 1;
}

}  // namespace

SecretKey::~SecretKey() {
    OPENSSL_cleanse(bytes_.data(), bytes_.size());
}

bool operator==(const SecretKey& a, const SecretKey& b) {
    return CRYPTO_memcmp(a.bytes_.data(), b.bytes_.data(), SecretKey::size) == 0;
}

SessionKey::SessionKey()
    : key_(EVP_PKEY_Q_keygen(nullptr, nullptr, "X25519"), &EVP_PKEY_free), public_key_(32, '\0') {
    std::size_t size = public_key_.size();
    auto* bytes = reinterpret_cast<unsigned char*>(public_key_.data());
    if (!key_ || EVP_PKEY_get_raw_public_key(key_.get(), bytes, &size) != 1) {
        throw std::runtime_error("cannot make an X25519 key");
    }
}

Result<SecretKey> SessionKey::pair_key(const PeerSession& session, HostId peer, PairPurpose purpose) const {
    const Host* host = find_participant(session, peer);
    if (host == nullptr || peer == session.self) return invalid("", "the peer is no participant");
    if (session.nonce.size() != session_nonce_size) return invalid(host->name, "malformed nonce");
    if (host->key.size() != public_key_.size()) return invalid(host->name, "malformed public key");
    Bytes32 secret{};
    SecretKey key;
    const bool agreed = agree(key_.get(), host->key, secret) &&
                        extract_and_expand(secret, session.nonce, info_of(session, peer, purpose), key);
    OPENSSL_cleanse(secret.data(), secret.size());
    if (!agreed) return invalid(host->name, "unusable public key");
    return key;
}

PairKeys::PairKeys(std::shared_ptr<const SessionKey> own, PeerSession session, PairPurpose purpose)
    : own_(std::move(own)), session_(std::move(session)), purpose_(purpose) {}

const Result<SecretKey>& PairKeys::of(HostId peer) {
    static const Result<SecretKey> nobody = invalid("", "the peer is no participant");
    if (find_participant(session_, peer) == nullptr) return nobody;
    const auto known = keys_.find(peer);
    if (known != keys_.end()) return known->second;
    return keys_.emplace(peer, own_->pair_key(session_, peer, purpose_)).first->second;
}

void PairKeys::introduce(const std::vector<Host>& peers) {
    for (const Host& peer : peers) {
        trellis::introduce(session_, peer);
        keys_.erase(peer.id);
    }
}

std::string PairKeys::name_of(HostId peer) const {
    const Host* host = find_participant(session_, peer);
    return host == nullptr ? "" : host->name;
}

const Host* find_participant(const PeerSession& session, HostId id) {
    const auto found = std::find_if(session.participants.begin(), session.participants.end(),
                                    [id](const Host& host) { return host.id == id; });
    return found == session.participants.end() ? nullptr : &*found;
}

void introduce(PeerSession& session, const Host& peer) {
    const auto known = std::ranges::find(session.participants, peer.id, &Host::id);
    if (known == session.participants.end())
        session.participants.push_back(peer);
    else
        *known = peer;
}

SecretKey derive_key(const SecretKey& key, std::string_view text) {
    SecretKey derived;
    unsigned int size = SecretKey::size;
    const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
    if (HMAC(EVP_sha256(), key.data(), SecretKey::size, bytes, text.size(), derived.data(), &size) ==
        nullptr) {
        throw std::runtime_error("HMAC-SHA256 failed");
    }
    return derived;
}

std::string keyed_mac(const SecretKey& key, std::string_view text) {
    const SecretKey full = derive_key(key, text);
    return {reinterpret_cast<const char*>(full.data()), mac_size};
}

std::string random_bytes(std::size_t size) {
    std::string bytes(size, '\0');
    if (RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(size)) != 1) {
        throw std::runtime_error("the system has no randomness");
    }
    return bytes;
}

bool same_secret(std::string_view a, std::string_view b) {
    return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace trellis
