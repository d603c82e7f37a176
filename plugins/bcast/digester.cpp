#include "plugins/bcast/digester.hpp"

#include "agentd/core/aes_gcm.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

namespace trellis::plugins::bcast {
namespace {

constexpr std::size_t block_size = std::size_t{256} << 10;  // stays in the processor's cache

}  // namespace

// GMAC: AES-GCM with nothing to encrypt; the number of the chunk is the nonce.
class Gmac {
  public:
    Gmac(const std::string& key, ChunkNumber chunk) {
        if (key.size() != digest_key_size) throw std::logic_error("a key of another size");
        const auto* bytes = reinterpret_cast<const unsigned char*>(key.data());
        gcm_ = aes_gcm(AesGcm::Key(bytes, digest_key_size), AesGcm::Use::sealing);
        AesGcm::Nonce nonce{};
        for (std::size_t i = 0; i < sizeof chunk; ++i)
            nonce[i] = static_cast<unsigned char>(chunk >> 8 * i & 0xff);
        gcm_->begin(nonce, "");
    }
    void add(std::string_view bytes) { gcm_->authenticate(bytes); }
    Digest end() {
        Digest digest(digest_size, '\0');
        gcm_->end(digest.data());
        return digest;
    }

  private:
    std::unique_ptr<AesGcm> gcm_;
};

Digest Digester::of(ChunkNumber chunk, std::string_view bytes) const {
    if (key_.empty()) return digest_of(bytes);
    Gmac tag(key_, chunk);
    tag.add(bytes);
    return tag.end();
}

FileDigest::FileDigest(const Digester& digester) : key_(digester.key_) {}

FileDigest::~FileDigest() = default;

Result<void> FileDigest::take(ChunkNumber chunk, OpenFile& file, const Part& part) {
    if (!tag_ || chunk != chunk_ || part.begin != taken_) {
        tag_ = std::make_unique<Gmac>(key_, chunk);
        chunk_ = chunk;
        taken_ = 0;
    }
    block_.resize(block_size);
    while (taken_ < part.end) {
        const std::span<char> space(block_.data(), std::min(part.end - taken_, block_size));
        const Result<std::size_t> got = file.read_into(part.offset + taken_, space);
        if (!got) return got.error();
        if (*got < space.size()) return unavailable("a file became shorter while it was written");
        tag_->add({space.data(), space.size()});
        taken_ += space.size();
    }
    return {};
}

Digest FileDigest::end() {
    return std::exchange(tag_, nullptr)->end();
}

}  // namespace trellis::plugins::bcast
