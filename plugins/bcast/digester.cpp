#include "plugins/bcast/digester.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include <openssl/evp.h>

namespace trellis::plugins::bcast {
namespace {

constexpr std::size_t block_size = std::size_t{64} << 10;  // stays in the processor's cache
constexpr int tag_size = 16;

void require(bool done) {
    if (!done) throw std::runtime_error("this OpenSSL cannot compute digests");
}

// AES-GCM with nothing to encrypt (NIST SP 800-38D); the number of the chunk is the nonce.
class Gmac {
  public:
    Gmac(const std::string& key, ChunkNumber chunk) {
        unsigned char nonce[12] = {};
        for (std::size_t i = 0; i < sizeof chunk; ++i)
            nonce[i] = static_cast<unsigned char>(chunk >> 8 * i & 0xff);
        const auto* bytes = reinterpret_cast<const unsigned char*>(key.data());
        require(key.size() == digest_key_size &&
                EVP_EncryptInit_ex(context_.get(), EVP_aes_128_gcm(), nullptr, bytes, nonce) == 1);
    }
    void add(std::string_view bytes) {
        int size = 0;
        const auto* begin = reinterpret_cast<const unsigned char*>(bytes.data());
        require(EVP_EncryptUpdate(context_.get(), nullptr, &size, begin, static_cast<int>(bytes.size())) ==
                1);
    }
    Digest end() {
        Digest digest(digest_size, '\0');
        auto* place = reinterpret_cast<unsigned char*>(digest.data());
        unsigned char nothing[tag_size];
        int size = 0;
        require(EVP_EncryptFinal_ex(context_.get(), nothing, &size) == 1 &&
                EVP_CIPHER_CTX_ctrl(context_.get(), EVP_CTRL_AEAD_GET_TAG, tag_size, place) == 1);
        return digest;
    }

  private:
    std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)> context_{EVP_CIPHER_CTX_new(),
                                                                             &EVP_CIPHER_CTX_free};
};

}  // namespace

Digest Digester::of(ChunkNumber chunk, std::string_view bytes) const {
    if (key_.empty()) return digest_of(bytes);
    Gmac tag(key_, chunk);
    tag.add(bytes);
    return tag.end();
}

Result<Digest> Digester::of(ChunkNumber chunk, OpenFile& file, std::uint64_t offset, std::size_t size) const {
    Gmac tag(key_, chunk);
    std::vector<char> block(std::min(size, block_size));
    while (size > 0) {
        const std::span<char> space(block.data(), std::min(size, block.size()));
        const Result<std::size_t> got = file.read_into(offset, space);
        if (!got) return got.error();
        if (*got < space.size()) return unavailable("a file became shorter while it was written");
        tag.add({space.data(), space.size()});
        offset += space.size();
        size -= space.size();
    }
    return tag.end();
}

}  // namespace trellis::plugins::bcast
