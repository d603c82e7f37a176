#include "agentd/os/tls_records.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include <openssl/core_names.h>
#include <openssl/kdf.h>
#include <openssl/params.h>

namespace trellis {
namespace {

constexpr std::size_t header_size = 5;
constexpr std::size_t tag_size = AesGcm::tag_size;
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

unsigned char byte_of(char value) {
    return static_cast<unsigned char>(value);
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

RecordProtection::RecordProtection(const SecretKey& traffic_secret, AesGcm::Use use)
    : secret_(traffic_secret), use_(use) {
    use_secret();
}

void RecordProtection::use_secret() {
    SecretKey key;
    expand(secret_, "key", {key.data(), AesGcm::key_size});
    expand(secret_, "iv", iv_);
    gcm_ = aes_gcm(AesGcm::Key(key.data(), AesGcm::key_size), use_);
    count_ = 0;
}

void RecordProtection::next_generation() {
    SecretKey next;
    expand(secret_, "traffic upd", {next.data(), SecretKey::size});
    secret_ = next;
    use_secret();
}

// Section 5.3: the number of the record in the last eight bytes.
AesGcm& RecordProtection::begin(std::string_view header) {
    AesGcm::Nonce nonce = iv_;
    for (std::size_t i = 0; i < 8; ++i)
        nonce[nonce.size() - 1 - i] ^= static_cast<unsigned char>(count_ >> (8 * i));
    ++count_;
    gcm_->begin(nonce, header);
    return *gcm_;
}

RecordSealer::RecordSealer(const SecretKey& traffic_secret, std::uint64_t most_of_generation)
    : protection_(traffic_secret, AesGcm::Use::sealing),
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
    AesGcm& gcm = protection_.begin({header.data(), header.size()});
    char* place = std::copy(header.begin(), header.end(), sealed_.get() + size_);
    const auto add = [&](std::string_view bytes) {
        gcm.pass(bytes, place);
        place += bytes.size();
    };
    for (std::size_t left = content; left > 0; parts = parts.subspan(1)) {
        std::string_view& part = parts.front();
        const std::size_t count = std::min(part.size(), left);
        add(part.substr(0, count));
        part.remove_prefix(count);
        left -= count;
        if (!part.empty()) break;
    }
    const char last = static_cast<char>(type);
    add({&last, 1});
    gcm.end(place);
    size_ += header_size + content + 1 + tag_size;
}

RecordOpener::RecordOpener(const SecretKey& traffic_secret)
    : protection_(traffic_secret, AesGcm::Use::opening),
      sealed_(std::make_unique_for_overwrite<char[]>(room)) {}

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
    const std::size_t payload = std::size_t{byte_of(there[3])} << 8 | byte_of(there[4]);
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
    AesGcm& gcm = protection_.begin(record.substr(0, header_size));
    const std::string_view tag = payload.substr(payload.size() - tag_size);
    payload.remove_suffix(tag_size);
    char type = 0;
    std::size_t last = payload.size() - 1;
    gcm.pass(payload.substr(0, last), content);
    gcm.pass(payload.substr(last), &type);
    if (!gcm.ends_with(tag)) return std::nullopt;
    while (type == 0 && last > 0)
        type = content[--last];
    return Opened{last, byte_of(type)};
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
