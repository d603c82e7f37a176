#include "agentd/os/tls_records.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include <climits>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>

namespace trellis {
namespace {

constexpr std::size_t header_size = 5;
constexpr std::size_t tag_size = 16;
constexpr std::size_t key_size = 16;
constexpr std::size_t most_content = std::size_t{1} << 14;
constexpr std::size_t most_payload = most_content + 256;
constexpr std::size_t most_record = header_size + most_payload;
// 256 KiB and what stands before them; they and their content stay in a processor's cache.
constexpr std::size_t records_at_once = 17;
constexpr std::size_t room = (records_at_once + 1) * most_record;  // one more for a change of keys

enum ContentType : unsigned char { alert = 21, handshake = 22, application_data = 23 };
constexpr std::string_view close_notify_alert("\x01\x00", 2);
constexpr std::string_view key_update("\x18\x00\x00\x01\x00", 5);  // of the sender alone

void require(bool done) {
    if (!done) throw std::runtime_error("this OpenSSL cannot do TLS 1.3 as needed");
}

unsigned char* bytes_of(char* text) {
    return reinterpret_cast<unsigned char*>(text);
}

const unsigned char* bytes_of(const char* text) {
    return reinterpret_cast<const unsigned char*>(text);
}

int as_int(std::size_t size) {
    return static_cast<int>(size);
}

OSSL_PARAM octets(const char* name, std::string_view text) {
    return OSSL_PARAM_construct_octet_string(name, const_cast<char*>(text.data()), text.size());
}

// HKDF-Expand-Label (RFC 8446, section 7.1), with an empty context.
void expand(const SecretKey& secret, std::string_view label, std::span<unsigned char> result) {
    const std::unique_ptr<EVP_KDF, decltype(&EVP_KDF_free)> kdf(
        EVP_KDF_fetch(nullptr, OSSL_KDF_NAME_TLS1_3_KDF, nullptr), &EVP_KDF_free);
    const std::unique_ptr<EVP_KDF_CTX, decltype(&EVP_KDF_CTX_free)> context(EVP_KDF_CTX_new(kdf.get()),
                                                                            &EVP_KDF_CTX_free);
    int mode = EVP_KDF_HKDF_MODE_EXPAND_ONLY;
    std::string digest = "SHA256";
    const OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_int(OSSL_KDF_PARAM_MODE, &mode),
        OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest.data(), digest.size()),
        octets(OSSL_KDF_PARAM_KEY, {reinterpret_cast<const char*>(secret.data()), SecretKey::size}),
        octets(OSSL_KDF_PARAM_PREFIX, "tls13 "),
        octets(OSSL_KDF_PARAM_LABEL, label),
        OSSL_PARAM_construct_end()};
    require(context && EVP_KDF_derive(context.get(), result.data(), result.size(), parameters) == 1);
}

std::array<char, header_size> header_of(std::size_t payload) {
    return {application_data, 3, 3, static_cast<char>(payload >> 8), static_cast<char>(payload & 0xff)};
}

Failure damaged() {
    return {FailureKind::lost, "", "", "what came is not what the other end sent"};
}

}  // namespace

void RecordProtection::Free::operator()(EVP_CIPHER_CTX* context) const {
    EVP_CIPHER_CTX_free(context);
}

RecordProtection::RecordProtection(const SecretKey& traffic_secret, bool seals)
    : secret_(traffic_secret), seals_(seals), context_(EVP_CIPHER_CTX_new()) {
    require(context_ != nullptr);
    use_secret();
}

void RecordProtection::use_secret() {
    SecretKey key;
    expand(secret_, "key", {key.data(), key_size});
    expand(secret_, "iv", iv_);
    require(EVP_CipherInit_ex(context_.get(), EVP_aes_128_gcm(), nullptr, key.data(), nullptr,
                              seals_ ? 1 : 0) == 1);
    count_ = 0;
}

void RecordProtection::next_generation() {
    SecretKey next;
    expand(secret_, "traffic upd", {next.data(), SecretKey::size});
    secret_ = next;
    use_secret();
}

// Section 5.3: the number of the record in the last eight bytes.
EVP_CIPHER_CTX* RecordProtection::begin(std::string_view header) {
    std::array<unsigned char, 12> nonce = iv_;
    for (std::size_t i = 0; i < 8; ++i)
        nonce[nonce.size() - 1 - i] ^= static_cast<unsigned char>(count_ >> (8 * i));
    ++count_;
    int size = 0;
    require(EVP_CipherInit_ex(context_.get(), nullptr, nullptr, nullptr, nonce.data(), -1) == 1 &&
            EVP_CipherUpdate(context_.get(), nullptr, &size, bytes_of(header.data()),
                             as_int(header.size())) == 1);
    return context_.get();
}

RecordSealer::RecordSealer(const SecretKey& traffic_secret, std::uint64_t most_of_generation)
    : protection_(traffic_secret, true),
      most_of_generation_(most_of_generation),
      sealed_(std::make_unique_for_overwrite<char[]>(room)) {}

std::string_view RecordSealer::seal(std::span<std::string_view> parts) {
    size_ = 0;
    while (size_ + 2 * most_record <= room) {
        while (!parts.empty() && parts.front().empty())
            parts = parts.subspan(1);
        if (parts.empty()) break;
        update_keys();
        seal_record(application_data, parts);
    }
    return {sealed_.get(), size_};
}

std::string_view RecordSealer::close_notify() {
    std::string_view text = close_notify_alert;
    size_ = 0;
    seal_record(alert, {&text, 1});
    return {sealed_.get(), size_};
}

void RecordSealer::update_keys() {
    if (protection_.count() + 1 < most_of_generation_) return;
    std::string_view text = key_update;
    seal_record(handshake, {&text, 1});
    protection_.next_generation();
}

// The content, its type, and a tag; the parts become what is left of them.
void RecordSealer::seal_record(unsigned char type, std::span<std::string_view> parts) {
    std::size_t content = 0;
    for (const std::string_view part : parts)
        content += std::min(part.size(), most_content - content);
    const auto header = header_of(content + 1 + tag_size);
    EVP_CIPHER_CTX* context = protection_.begin({header.data(), header.size()});
    unsigned char* place = bytes_of(sealed_.get() + size_);
    place = std::copy(header.begin(), header.end(), place);
    int size = 0;
    const auto add = [&](const unsigned char* bytes, std::size_t count) {
        require(EVP_EncryptUpdate(context, place, &size, bytes, as_int(count)) == 1);
        place += size;
    };
    for (std::size_t left = content; left > 0; parts = parts.subspan(1)) {
        std::string_view& part = parts.front();
        const std::size_t count = std::min(part.size(), left);
        add(bytes_of(part.data()), count);
        part.remove_prefix(count);
        left -= count;
        if (!part.empty()) break;
    }
    add(&type, 1);
    require(EVP_EncryptFinal_ex(context, place, &size) == 1 &&
            EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, tag_size, place) == 1);
    size_ += header_size + content + 1 + tag_size;
}

RecordOpener::RecordOpener(const SecretKey& traffic_secret)
    : protection_(traffic_secret, false), sealed_(std::make_unique_for_overwrite<char[]>(room)) {}

std::span<char> RecordOpener::space() {
    std::memmove(sealed_.get(), sealed_.get() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    return {sealed_.get() + end_, room - end_};
}

Result<std::optional<std::size_t>> RecordOpener::open(std::span<char> space) {
    if (failed_) return damaged();
    if (taken_ < spilled_.size()) {
        const std::size_t size = spilled_.copy(space.data(), space.size(), taken_);
        taken_ += size;
        return std::optional(size);
    }
    const std::string_view there(sealed_.get() + begin_, end_ - begin_);
    if (ended_ || there.size() < header_size) return std::optional<std::size_t>();
    const std::size_t payload = std::size_t{bytes_of(there.data())[3]} << 8 | bytes_of(there.data())[4];
    failed_ = there[0] != application_data || payload > most_payload || payload <= tag_size;
    if (failed_) return damaged();
    if (there.size() < header_size + payload) return std::optional<std::size_t>();
    const std::string_view record = there.substr(0, header_size + payload);
    const bool fits = payload - tag_size - 1 <= space.size();
    if (!fits) spilled_.resize(payload - tag_size - 1);
    char* const content = fits ? space.data() : spilled_.data();
    const std::optional<Opened> opened = open_record(record, content);
    begin_ += record.size();
    failed_ = !opened || !heed(*opened, content);
    if (failed_) return damaged();
    const std::size_t size = opened->type == application_data ? opened->size : 0;
    if (fits) return std::optional(size);
    spilled_.resize(size);
    taken_ = spilled_.copy(space.data(), space.size());
    return std::optional(taken_);
}

// To `content` comes all but the last byte, which is the type where nothing pads the record.
std::optional<RecordOpener::Opened> RecordOpener::open_record(std::string_view record, char* content) {
    std::string_view payload = record.substr(header_size);
    EVP_CIPHER_CTX* context = protection_.begin(record.substr(0, header_size));
    const std::string_view tag = payload.substr(payload.size() - tag_size);
    payload.remove_suffix(tag_size + 1);
    unsigned char type = 0;
    int size = 0;
    const bool opened =
        EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, tag_size, const_cast<char*>(tag.data())) == 1 &&
        EVP_DecryptUpdate(context, bytes_of(content), &size, bytes_of(payload.data()),
                          as_int(payload.size())) == 1 &&
        EVP_DecryptUpdate(context, &type, &size, bytes_of(payload.data() + payload.size()), 1) == 1 &&
        EVP_DecryptFinal_ex(context, nullptr, &size) == 1;
    if (!opened) return std::nullopt;
    std::size_t last = payload.size();
    while (type == 0 && last > 0)
        type = bytes_of(content)[--last];
    return Opened{last, type};
}

// What the other end says beside the data: false if nothing is to be taken from it any more.
bool RecordOpener::heed(Opened record, const char* content) {
    const std::string_view text(content, record.size);
    if (record.type == application_data) return true;
    if (record.type == handshake && text == key_update) {
        protection_.next_generation();
        return true;
    }
    ended_ = record.type == alert && text == close_notify_alert;
    return ended_;
}

}  // namespace trellis
