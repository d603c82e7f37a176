#include "plugins/bcast/object.hpp"

#include <openssl/evp.h>

namespace trellis::plugins::bcast {

Digest digest_of(std::string_view bytes) {
    Digest digest(digest_size, '\0');
    EVP_Digest(bytes.data(), bytes.size(), reinterpret_cast<unsigned char*>(digest.data()), nullptr,
               EVP_sha256(), nullptr);
    return digest;
}

}  // namespace trellis::plugins::bcast
