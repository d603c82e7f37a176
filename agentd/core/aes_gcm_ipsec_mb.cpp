#include "agentd/core/aes_gcm.hpp"

#include <cstdint>

#ifdef TRELLIS_IPSEC_MB

#include <cpuid.h>
#include <intel-ipsec-mb.h>

#include <openssl/crypto.h>

// The library reaches these through a manager of all that it can do, 12 MB; by themselves they are a
// twentieth of that.
extern "C" {
void aes_gcm_precomp_128_vaes_avx512(gcm_key_data* key);
void aes_gcm_init_128_vaes_avx512(const gcm_key_data* key, gcm_context_data* context,
                                  const std::uint8_t* nonce, const std::uint8_t* header, std::uint64_t size);
void imb_aes_gmac_update_128_vaes_avx512(const gcm_key_data* key, gcm_context_data* context,
                                         const std::uint8_t* header, std::uint64_t size);
void aes_gcm_enc_128_update_vaes_avx512(const gcm_key_data* key, gcm_context_data* context, std::uint8_t* to,
                                        const std::uint8_t* from, std::uint64_t size);
void aes_gcm_dec_128_update_vaes_avx512(const gcm_key_data* key, gcm_context_data* context, std::uint8_t* to,
                                        const std::uint8_t* from, std::uint64_t size);
void aes_gcm_enc_128_finalize_vaes_avx512(const gcm_key_data* key, gcm_context_data* context,
                                          std::uint8_t* tag, std::uint64_t size);
void aes_gcm_dec_128_finalize_vaes_avx512(const gcm_key_data* key, gcm_context_data* context,
                                          std::uint8_t* tag, std::uint64_t size);
}

namespace trellis {
namespace {

const std::uint8_t* octets_of(std::string_view text) {
    return reinterpret_cast<const std::uint8_t*>(text.data());
}

class AesGcmByIpsecMb final : public AesGcm {
  public:
    AesGcmByIpsecMb(Key key, Use use) : seals_(use == Use::sealing) {
        aes_keyexp_128_enc_avx512(key.data(), key_.expanded_keys);
        aes_gcm_precomp_128_vaes_avx512(&key_);
    }
    ~AesGcmByIpsecMb() override {
        OPENSSL_cleanse(&key_, sizeof key_);
        OPENSSL_cleanse(&context_, sizeof context_);
    }
    AesGcmByIpsecMb(const AesGcmByIpsecMb&) = delete;
    AesGcmByIpsecMb& operator=(const AesGcmByIpsecMb&) = delete;

    void begin(const Nonce& nonce, std::string_view header) override {
        aes_gcm_init_128_vaes_avx512(&key_, &context_, nonce.data(), octets_of(header), header.size());
    }
    void authenticate(std::string_view part) override {
        imb_aes_gmac_update_128_vaes_avx512(&key_, &context_, octets_of(part), part.size());
    }
    void pass(std::string_view part, char* place) override {
        const auto update = seals_ ? aes_gcm_enc_128_update_vaes_avx512 : aes_gcm_dec_128_update_vaes_avx512;
        update(&key_, &context_, reinterpret_cast<std::uint8_t*>(place), octets_of(part), part.size());
    }
    void end(char* place) override {
        aes_gcm_enc_128_finalize_vaes_avx512(&key_, &context_, reinterpret_cast<std::uint8_t*>(place),
                                             tag_size);
    }
    bool ends_with(std::string_view tag) override {
        std::uint8_t right[tag_size];
        aes_gcm_dec_128_finalize_vaes_avx512(&key_, &context_, right, tag_size);
        return tag.size() == tag_size && CRYPTO_memcmp(right, tag.data(), tag_size) == 0;
    }

  private:
    bool seals_;
    alignas(64) gcm_key_data key_;
    alignas(64) gcm_context_data context_;
};

// The system keeps the registers of AVX-512, too.
bool able() {
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 &&
           (c & bit_VAES) != 0 && (c & bit_VPCLMULQDQ) != 0;
}

}  // namespace

std::unique_ptr<AesGcm> aes_gcm_by_ipsec_mb(AesGcm::Key key, AesGcm::Use use) {
    static const bool is_able = able();
    return is_able ? std::make_unique<AesGcmByIpsecMb>(key, use) : nullptr;
}

}  // namespace trellis

#else

std::unique_ptr<trellis::AesGcm> trellis::aes_gcm_by_ipsec_mb(AesGcm::Key, AesGcm::Use) {
    return nullptr;
}

#endif
