// The records of TLS 1.3 (RFC 8446, section 5) after the handshake, with TLS_AES_128_GCM_SHA256, for much
// data: they are opened to where their content belongs and sealed where they are sent from, while OpenSSL's
// own record layer copies each byte on either way. It may be the other end. Each object is one direction of
// one connection, owned by it. They throw only if OpenSSL cannot do its work.
#pragma once

#include "trellis/result.hpp"

#include "agentd/core/aes_gcm.hpp"
#include "agentd/core/pair_key.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace trellis {

// What protects one record after the other; a new generation of keys begins to count anew (section 7.2).
class RecordProtection {
  public:
    RecordProtection(const SecretKey& traffic_secret, AesGcm::Use use);
    void next_generation();
    // The next record has begun.
    AesGcm& begin(std::string_view header);
    [[nodiscard]] std::uint64_t count() const { return count_; }  // records of this generation

  private:
    void use_secret();

    SecretKey secret_;
    AesGcm::Use use_;
    std::unique_ptr<AesGcm> gcm_;
    AesGcm::Nonce iv_{};
    std::uint64_t count_ = 0;
};

class RecordSealer {
  public:
    // So many records at most under the same keys (RFC 8446, section 5.5, allows 1.4 times as many).
    static constexpr std::uint64_t most_of_a_generation = std::uint64_t{1} << 24;

    explicit RecordSealer(const SecretKey& traffic_secret,
                          std::uint64_t most_of_generation = most_of_a_generation);
    // What is to be sent for the beginning of `parts`, which then are what is left; empty: nothing is. Stays
    // until the next call.
    std::string_view seal(std::span<std::string_view> parts);
    // The end.
    std::string_view close_notify();

  private:
    void seal_record(unsigned char type, std::span<std::string_view> parts);
    void update_keys();

    RecordProtection protection_;
    std::uint64_t most_of_generation_;
    std::unique_ptr<char[]> sealed_;
    std::size_t size_ = 0;
};

class RecordOpener {
  public:
    explicit RecordOpener(const SecretKey& traffic_secret);
    // Where what comes next is to be put; never empty when open() has found no whole record.
    [[nodiscard]] std::span<char> space();
    void received(std::size_t size) { end_ += size; }
    // How much of a record's content has been put into `space`, which is not empty; of what has no content,
    // 0. Nothing: there is no whole record, or the end has come. Failure (lost): what came is not what the
    // other end sealed.
    Result<std::optional<std::size_t>> open(std::span<char> space);
    // The other end has announced its end.
    [[nodiscard]] bool ended() const { return ended_; }

  private:
    struct Opened {
        std::size_t size;  // of the content
        unsigned char type;
    };
    std::optional<Opened> open_record(std::string_view record, char* content);
    bool heed(Opened record, const char* content);

    RecordProtection protection_;
    std::unique_ptr<char[]> sealed_;  // what came, and is not opened yet, from begin_ to end_
    std::size_t begin_ = 0, end_ = 0;
    std::string spilled_;    // content for which there was no space
    std::size_t taken_ = 0;  // of it
    bool ended_ = false, failed_ = false;
};

}  // namespace trellis
