#include "plugins/bcast/object.hpp"

#include <random>

#include <openssl/evp.h>

namespace trellis::plugins::bcast {
namespace {

Digest compute_digest(std::string_view bytes) {
    Digest digest(digest_size, '\0');
    EVP_Digest(bytes.data(), bytes.size(), reinterpret_cast<unsigned char*>(digest.data()), nullptr,
               EVP_sha256(), nullptr);
    return digest;
}

}  // namespace

// Of a hole there may be many chunks.
Digest digest_of(std::string_view bytes) {
    if (bytes.size() != chunk_size || !is_zero(bytes)) return compute_digest(bytes);
    static const Digest of_zeros = compute_digest(bytes);
    return of_zeros;
}

Digest digest_of_first(const std::vector<Digest>& digests, ChunkNumber count) {
    std::string all;
    all.reserve(static_cast<std::size_t>(count) * digest_size);
    for (std::size_t i = 0; i < count; ++i)
        all += digests[i];
    return digest_of(all);
}

std::string last_name(std::string path) {
    while (path.size() > 1 && path.ends_with('/'))
        path.pop_back();
    std::string name = path.substr(path.rfind('/') + 1);
    return is_name(name) && path != "~" ? name : "";
}

bool is_name(std::string_view text) {
    return !text.empty() && text != "." && text != ".." && text.find('/') == std::string_view::npos &&
           text.find('\0') == std::string_view::npos;
}

std::string random_token() {
    constexpr std::string_view digits = "0123456789abcdefghijklmnopqrstuv";
    std::random_device random;
    std::string token;
    for (int i = 0; i < 10; ++i)
        token += digits[random() % digits.size()];
    return token;
}

}  // namespace trellis::plugins::bcast
