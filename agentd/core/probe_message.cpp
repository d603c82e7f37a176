#include "agentd/core/probe_message.hpp"

#include <cstring>
#include <stdexcept>

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

namespace trellis {
namespace {

std::string joined(std::string_view label, std::string_view first, std::string_view second) {
    std::string text(label);
    text += first;
    text += second;
    return text;
}

EVP_MAC_CTX* siphash() {
    EVP_MAC* mac = EVP_MAC_fetch(nullptr, "SIPHASH", nullptr);
    EVP_MAC_CTX* context = EVP_MAC_CTX_new(mac);
    EVP_MAC_free(mac);
    if (context == nullptr) throw std::runtime_error("this OpenSSL has no SipHash");
    return context;
}

}  // namespace

std::string make_welcome(const SecretKey& key, std::string_view hello, std::string_view random) {
    return std::string(random) + keyed_mac(key, joined("welcome", hello, random));
}

bool check_welcome(const SecretKey& key, std::string_view hello, std::string_view welcome) {
    if (welcome.size() != welcome_size) return false;
    return same_secret(welcome, make_welcome(key, hello, welcome.substr(0, welcome_random_size)));
}

ProbeMessages::ProbeMessages(const SecretKey& key, std::string_view hello, std::string_view welcome)
    : key_(derive_key(key, joined("probes", hello, welcome))), mac_(siphash()) {}

ProbeMessages::~ProbeMessages() {
    EVP_MAC_CTX_free(mac_);
}

// SipHash-2-4 with an 8-byte result, over the direction and the sequence number.
ProbeMessage ProbeMessages::message(char direction, std::uint64_t sequence) {
    ProbeMessage message{};
    std::memcpy(message.data(), &sequence, sizeof sequence);
    unsigned char input[9] = {static_cast<unsigned char>(direction)};
    std::memcpy(input + 1, &sequence, sizeof sequence);
    std::size_t size = 8;
    const OSSL_PARAM parameters[] = {OSSL_PARAM_construct_size_t(OSSL_MAC_PARAM_SIZE, &size),
                                     OSSL_PARAM_construct_end()};
    auto* output = reinterpret_cast<unsigned char*>(message.data() + sizeof sequence);
    std::size_t written = 0;
    if (EVP_MAC_init(mac_, key_.data(), 16, parameters) != 1 ||
        EVP_MAC_update(mac_, input, sizeof input) != 1 || EVP_MAC_final(mac_, output, &written, 8) != 1) {
        throw std::runtime_error("SipHash failed");
    }
    return message;
}

}  // namespace trellis
