// AesGcm: AES-128-GCM (NIST SP 800-38D) under one key, one message after the other, each in parts. Owned by
// one direction of a connection, or by whoever needs a tag; it keeps no messages, and does not see to it that
// no nonce comes twice.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

namespace trellis {

class AesGcm {
  public:
    static constexpr std::size_t key_size = 16, nonce_size = 12, tag_size = 16;
    using Key = std::span<const unsigned char, key_size>;
    using Nonce = std::array<unsigned char, nonce_size>;
    enum class Use { sealing, opening };

    virtual ~AesGcm() = default;
    // A new message; its tag is of `header`, too.
    virtual void begin(const Nonce& nonce, std::string_view header) = 0;
    // More of the header of a message that has no content, for sealing.
    virtual void authenticate(std::string_view part) = 0;
    // The next part of the content, sealed or opened to `place`, which has the same size.
    virtual void pass(std::string_view part, char* place) = 0;
    // Sealing: the message's tag comes to `place`.
    virtual void end(char* place) = 0;
    // Opening: whether this is the message's tag. What was opened is not to be trusted before.
    [[nodiscard]] virtual bool ends_with(std::string_view tag) = 0;
};

// The faster one of those below. They throw only if OpenSSL cannot do its work.
std::unique_ptr<AesGcm> aes_gcm(AesGcm::Key key, AesGcm::Use use);

std::unique_ptr<AesGcm> aes_gcm_by_openssl(AesGcm::Key key, AesGcm::Use use);
// By IPsec-MB, for processors that encrypt four blocks with one instruction (VAES and AVX-512): a quarter of
// the time of OpenSSL 3.0, which knows no such instructions. Null on others, or if it was not there to build
// with.
std::unique_ptr<AesGcm> aes_gcm_by_ipsec_mb(AesGcm::Key key, AesGcm::Use use);

}  // namespace trellis
