#include "agentd/core/aes_gcm.hpp"

#include <stdexcept>
#include <utility>

#include <openssl/evp.h>

namespace trellis {
namespace {

void require(bool done) {
    if (!done) throw std::runtime_error("this OpenSSL cannot do AES-128-GCM as needed");
}

unsigned char* bytes_of(char* text) {
    return reinterpret_cast<unsigned char*>(text);
}

const unsigned char* bytes_of(std::string_view text) {
    return reinterpret_cast<const unsigned char*>(text.data());
}

class AesGcmByOpenSsl final : public AesGcm {
  public:
    AesGcmByOpenSsl(Key key, Use use) {
        require(context_ && EVP_CipherInit_ex(context_.get(), EVP_aes_128_gcm(), nullptr, key.data(), nullptr,
                                              use == Use::sealing ? 1 : 0) == 1);
    }
    void begin(const Nonce& nonce, std::string_view header) override {
        require(EVP_CipherInit_ex(context_.get(), nullptr, nullptr, nullptr, nonce.data(), -1) == 1);
        authenticate(header);
    }
    void authenticate(std::string_view part) override { update(part, nullptr); }
    void pass(std::string_view part, char* place) override { update(part, bytes_of(place)); }
    void end(char* place) override {
        unsigned char nothing[tag_size];
        int size = 0;
        require(EVP_CipherFinal_ex(context_.get(), nothing, &size) == 1 &&
                EVP_CIPHER_CTX_ctrl(context_.get(), EVP_CTRL_AEAD_GET_TAG, tag_size, place) == 1);
    }
    bool ends_with(std::string_view tag) override {
        unsigned char nothing[tag_size];
        int size = 0;
        require(tag.size() == tag_size && EVP_CIPHER_CTX_ctrl(context_.get(), EVP_CTRL_AEAD_SET_TAG, tag_size,
                                                              const_cast<char*>(tag.data())) == 1);
        return EVP_CipherFinal_ex(context_.get(), nothing, &size) == 1;
    }

  private:
    void update(std::string_view part, unsigned char* place) {
        int size = 0;
        require(EVP_CipherUpdate(context_.get(), place, &size, bytes_of(part),
                                 static_cast<int>(part.size())) == 1);
    }

    std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)> context_{EVP_CIPHER_CTX_new(),
                                                                             &EVP_CIPHER_CTX_free};
};

}  // namespace

std::unique_ptr<AesGcm> aes_gcm(AesGcm::Key key, AesGcm::Use use) {
    auto fast = aes_gcm_by_ipsec_mb(key, use);
    return fast ? std::move(fast) : aes_gcm_by_openssl(key, use);
}

std::unique_ptr<AesGcm> aes_gcm_by_openssl(AesGcm::Key key, AesGcm::Use use) {
    return std::make_unique<AesGcmByOpenSsl>(key, use);
}

}  // namespace trellis
