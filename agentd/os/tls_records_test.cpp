#include "agentd/os/tls_records.hpp"

#include "agentd/os/tls_session.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>
#include <openssl/bio.h>
#include <openssl/ssl.h>

namespace trellis {
namespace {

std::string some_bytes(std::size_t size) {
    std::string bytes(size, '\0');
    for (std::size_t i = 0; i < size; ++i)
        bytes[i] = static_cast<char>(i * 31 >> 5);
    return bytes;
}

// OpenSSL at both ends until the handshake is done; then either end's records are opened or sealed here.
class TlsRecordsTest : public ::testing::Test {
  protected:
    using End = std::unique_ptr<SSL, decltype(&SSL_free)>;

    End make_end(TlsSecrets& secrets) {
        secrets.shared.data()[0] = 42;
        End end(SSL_new(context_.get()), &SSL_free);
        use_secrets(end.get(), secrets);
        SSL_set_bio(end.get(), BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
        return end;
    }
    bool shake_hands() {
        SSL_set_connect_state(client_.get());
        SSL_set_accept_state(server_.get());
        for (int i = 0; i < 3; ++i) {
            SSL_do_handshake(client_.get());
            give(*server_, sent_by(*client_));
            SSL_do_handshake(server_.get());
            give(*client_, sent_by(*server_));
        }
        return proven(client_.get()) && proven(server_.get());
    }
    void SetUp() override { ASSERT_TRUE(shaken_); }
    static void give(SSL& end, std::string_view bytes) {
        BIO_write(SSL_get_rbio(&end), bytes.data(), static_cast<int>(bytes.size()));
    }
    static std::string sent_by(SSL& end) {
        std::string bytes(BIO_ctrl_pending(SSL_get_wbio(&end)), '\0');
        BIO_read(SSL_get_wbio(&end), bytes.data(), static_cast<int>(bytes.size()));
        return bytes;
    }
    static std::string sealed_by(SSL& end, const std::string& content) {
        EXPECT_EQ(SSL_write(&end, content.data(), static_cast<int>(content.size())),
                  static_cast<int>(content.size()));
        return sent_by(end);
    }
    static std::string read_by(SSL& end) {
        std::string all, part(50'000, '\0');
        for (int size = 1; size > 0; all.append(part, 0, static_cast<std::size_t>(std::max(size, 0))))
            size = SSL_read(&end, part.data(), static_cast<int>(part.size()));
        return all;
    }
    static std::string sealed(RecordSealer& sealer, std::vector<std::string_view> parts) {
        std::string all;
        for (std::string_view some = sealer.seal(parts); !some.empty(); some = sealer.seal(parts))
            all += some;
        return all;
    }
    // What comes of `bytes`, of which at most `at_once` come at a time, to spaces of these sizes in turn.
    static Result<std::string> opened(RecordOpener& opener, std::string_view bytes, std::size_t at_once,
                                      const std::vector<std::size_t>& spaces) {
        std::string all;
        for (std::size_t turn = 0;; ++turn) {
            std::string space(spaces[turn % spaces.size()], '\0');
            const auto size = opener.open(space);
            if (!size) return size.error();
            all.append(space, 0, size->value_or(0));
            if (*size) continue;
            if (bytes.empty() || opener.ended()) return all;
            const std::span<char> place = opener.space();
            const std::size_t count = bytes.copy(place.data(), std::min(place.size(), at_once));
            opener.received(count);
            bytes.remove_prefix(count);
        }
    }
    static Result<std::string> opened(RecordOpener& opener, std::string_view bytes) {
        return opened(opener, bytes, 100'000, {70'000});
    }

    TlsContext context_ = make_tls_context();
    TlsSecrets of_client_, of_server_;
    End client_ = make_end(of_client_), server_ = make_end(of_server_);
    bool shaken_ = shake_hands();
    RecordSealer to_server_{of_client_.from_client};
    RecordOpener from_server_{of_client_.from_server};
};

TEST_F(TlsRecordsTest, OpenSslReadsWhatIsSealed) {
    const std::string bytes = some_bytes(600'000);
    const std::string_view all = bytes;
    const std::vector<std::string_view> parts = {
        all.substr(0, 23), "", all.substr(23, 16'384), all.substr(16'407, 400'000), all.substr(416'407), ""};
    give(*server_, sealed(to_server_, parts));
    EXPECT_TRUE(read_by(*server_) == bytes);
    EXPECT_EQ(sealed(to_server_, {}), "");
    EXPECT_EQ(sealed(to_server_, {"", ""}), "");
    give(*server_, to_server_.close_notify());
    EXPECT_EQ(read_by(*server_), "");
    EXPECT_EQ(SSL_get_shutdown(server_.get()), SSL_RECEIVED_SHUTDOWN);
}

TEST_F(TlsRecordsTest, WhatOpenSslSealsIsOpenedToSpacesOfAnySize) {
    const std::string bytes = some_bytes(300'000);
    const std::vector<std::vector<std::size_t>> spaces = {
        {1'000'000}, {16'384}, {1, 20'000, 16'383}, {7, 40'000}};
    for (const auto& sizes : spaces)
        EXPECT_TRUE(*opened(from_server_, sealed_by(*server_, bytes), 100'000, sizes) == bytes);
    EXPECT_EQ(*opened(from_server_, sealed_by(*server_, "piecemeal"), 1, {4}), "piecemeal");
    EXPECT_FALSE(from_server_.ended());
    SSL_shutdown(server_.get());
    EXPECT_EQ(*opened(from_server_, sent_by(*server_)), "");
    EXPECT_TRUE(from_server_.ended());
}

TEST_F(TlsRecordsTest, PaddingIsNoContent) {
    SSL_set_block_padding(server_.get(), 1000);
    const std::string bytes = some_bytes(40'123);
    EXPECT_TRUE(*opened(from_server_, sealed_by(*server_, bytes), 5'000, {100'000}) == bytes);
    EXPECT_EQ(*opened(from_server_, sealed_by(*server_, "short"), 5'000, {3}), "short");
}

TEST_F(TlsRecordsTest, KeysChangeOnEitherSide) {
    const std::string bytes = some_bytes(200'000);
    RecordSealer often(of_client_.from_client, 3);
    give(*server_, sealed(often, {bytes}));
    EXPECT_TRUE(read_by(*server_) == bytes);
    for (int i = 0; i < 3; ++i) {
        ASSERT_EQ(SSL_key_update(server_.get(), SSL_KEY_UPDATE_NOT_REQUESTED), 1);
        EXPECT_TRUE(*opened(from_server_, sealed_by(*server_, bytes)) == bytes);
    }
}

TEST_F(TlsRecordsTest, WhatSomebodyChangedIsLost) {
    const std::string first = sealed_by(*server_, some_bytes(1000)), second = sealed_by(*server_, "second");
    for (const std::size_t at : {0U, 1U, 3U, 5U, 500U, 1010U}) {
        std::string changed = first;
        changed[at] = static_cast<char>(changed[at] ^ 1);
        RecordOpener opener(of_client_.from_server);
        const auto result = opened(opener, changed + second);
        ASSERT_FALSE(result) << at;
        EXPECT_EQ(result.error().kind, FailureKind::lost);
        EXPECT_FALSE(opened(opener, second)) << at;
    }
    RecordOpener opener(of_client_.from_server);
    EXPECT_FALSE(opened(opener, second + first));
    EXPECT_FALSE(opened(from_server_, std::string("\x17\x03\x03\x00\x10", 5) + std::string(16, 'x')));
    RecordOpener another(of_client_.from_server);
    EXPECT_FALSE(opened(another, std::string("\x17\x03\x03\x41\x01", 5)));
}

TEST_F(TlsRecordsTest, AnAlertIsNoEnd) {
    give(*server_, std::string("\x17\x03\x03\x00\x20", 5) + std::string(32, 'x'));
    EXPECT_EQ(read_by(*server_), "");
    const std::string bad_record_mac = sent_by(*server_);
    ASSERT_FALSE(bad_record_mac.empty());
    EXPECT_FALSE(opened(from_server_, bad_record_mac));
    EXPECT_FALSE(from_server_.ended());
}

}  // namespace
}  // namespace trellis
