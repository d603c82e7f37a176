#include "agentd/core/aes_gcm.hpp"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace trellis {
namespace {

using Make = std::unique_ptr<AesGcm> (*)(AesGcm::Key, AesGcm::Use);
using Sizes = std::vector<std::size_t>;

std::array<unsigned char, AesGcm::key_size> key_of(unsigned char first) {
    std::array<unsigned char, AesGcm::key_size> key{};
    for (std::size_t i = 0; i < key.size(); ++i)
        key[i] = static_cast<unsigned char>(first + i * 7);
    return key;
}

std::string bytes_of(std::size_t size, std::mt19937& random) {
    std::string bytes(size, '\0');
    for (char& byte : bytes)
        byte = static_cast<char>(random());
    return bytes;
}

// The text in parts of these sizes, the rest in one.
template <class Each>
void in_parts(std::string_view text, const Sizes& sizes, Each each) {
    std::size_t at = 0;
    for (const std::size_t size : sizes) {
        each(at, text.substr(at, size));
        at = std::min(at + size, text.size());
    }
    each(at, text.substr(at));
}

std::string passed(AesGcm& gcm, std::string_view text, const Sizes& sizes) {
    std::string result(text.size(), '\0');
    in_parts(text, sizes, [&](std::size_t at, std::string_view part) { gcm.pass(part, &result[at]); });
    return result;
}

std::string end_of(AesGcm& gcm) {
    std::string tag(AesGcm::tag_size, '\0');
    gcm.end(tag.data());
    return tag;
}

class AesGcmTest : public ::testing::TestWithParam<Make> {
  protected:
    void SetUp() override {
        if (!make(AesGcm::Use::sealing))
            GTEST_SKIP() << "no VAES and AVX-512 here, or built without IPsec-MB";
    }
    static std::unique_ptr<AesGcm> make(AesGcm::Use use, unsigned char key = 1) {
        return GetParam()(key_of(key), use);
    }

    std::mt19937 random{5};
    AesGcm::Nonce nonce{3, 1, 4, 1, 5};
};

// Test cases 1 and 2 of the specification of GCM (McGrew and Viega, appendix B): all zeros.
TEST_P(AesGcmTest, DoesWhatTheSpecificationShows) {
    const std::array<unsigned char, AesGcm::key_size> zeros{};
    const auto gcm = GetParam()(zeros, AesGcm::Use::sealing);
    gcm->begin({}, "");
    EXPECT_EQ(end_of(*gcm), "\x58\xe2\xfc\xce\xfa\x7e\x30\x61\x36\x7f\x1d\x57\xa4\xe7\x45\x5a");
    gcm->begin({}, "");
    EXPECT_EQ(passed(*gcm, std::string(16, '\0'), {}),
              "\x03\x88\xda\xce\x60\xb6\xa3\x92\xf3\x28\xc2\xb9\x71\xb2\xfe\x78");
    EXPECT_EQ(end_of(*gcm), "\xab\x6e\x47\xd4\x2c\xec\x13\xbd\xf5\x3a\x67\xb2\x12\x57\xbd\xdf");
}

TEST_P(AesGcmTest, SealsAsOpenSslDoesInWhateverParts) {
    const auto expected = aes_gcm_by_openssl(key_of(1), AesGcm::Use::sealing);
    const auto gcm = make(AesGcm::Use::sealing);
    for (const std::size_t size : Sizes{0, 1, 15, 16, 17, 255, 256, 1023, 4096, 16'384, 70'001}) {
        const std::string text = bytes_of(size, random), header = bytes_of(size % 40, random);
        for (const Sizes& sizes : {Sizes{}, Sizes{1}, Sizes{0, 7, 100}, Sizes{16'383, 1}, Sizes{48, 4096}}) {
            ++nonce[11];
            expected->begin(nonce, header);
            gcm->begin(nonce, header);
            EXPECT_EQ(passed(*gcm, text, sizes), passed(*expected, text, {})) << size;
            EXPECT_EQ(end_of(*gcm), end_of(*expected)) << size;
        }
    }
}

TEST_P(AesGcmTest, OpensWhatOpenSslSealed) {
    const auto sealing = aes_gcm_by_openssl(key_of(1), AesGcm::Use::sealing);
    const auto opening = make(AesGcm::Use::opening);
    for (const std::size_t size : Sizes{0, 1, 16, 1000, 16'385, 70'001}) {
        const std::string text = bytes_of(size, random);
        sealing->begin(nonce, "header");
        const std::string sealed = passed(*sealing, text, {});
        const std::string tag = end_of(*sealing);
        opening->begin(nonce, "header");
        EXPECT_EQ(passed(*opening, sealed, {16, 1000}), text);
        EXPECT_TRUE(opening->ends_with(tag)) << size;
    }
}

TEST_P(AesGcmTest, OpensNothingThatWasChanged) {
    const std::string text = bytes_of(5000, random);
    const auto sealing = make(AesGcm::Use::sealing);
    sealing->begin(nonce, "header");
    const std::string sealed = passed(*sealing, text, {});
    const std::string tag = end_of(*sealing);
    const auto opens = [&](unsigned char key, const AesGcm::Nonce& with, std::string_view header,
                           std::string_view content, std::string_view end) {
        const auto opening = make(AesGcm::Use::opening, key);
        opening->begin(with, header);
        passed(*opening, content, {});
        return opening->ends_with(end);
    };
    std::string changed = sealed, other_tag = tag;
    changed[4321] = static_cast<char>(changed[4321] ^ 1);
    other_tag[15] = static_cast<char>(other_tag[15] ^ 0x80);
    EXPECT_TRUE(opens(1, nonce, "header", sealed, tag));
    EXPECT_FALSE(opens(2, nonce, "header", sealed, tag));
    EXPECT_FALSE(opens(1, {3, 1, 4, 1, 6}, "header", sealed, tag));
    EXPECT_FALSE(opens(1, nonce, "heador", sealed, tag));
    EXPECT_FALSE(opens(1, nonce, "header", changed, tag));
    EXPECT_FALSE(opens(1, nonce, "header", sealed, other_tag));
}

TEST_P(AesGcmTest, AuthenticatesAHeaderInParts) {
    const auto gcm = make(AesGcm::Use::sealing);
    for (const std::size_t size : Sizes{0, 5, 16, 4097, 300'000}) {
        const std::string header = bytes_of(size, random);
        const auto expected = aes_gcm_by_openssl(key_of(1), AesGcm::Use::sealing);
        expected->begin(nonce, header);
        const std::string tag = end_of(*expected);
        for (const Sizes& sizes : {Sizes{}, Sizes{3, 0, 20}, Sizes{65'536, 65'536}}) {
            gcm->begin(nonce, "");
            in_parts(header, sizes, [&](std::size_t, std::string_view part) { gcm->authenticate(part); });
            EXPECT_EQ(end_of(*gcm), tag) << size;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(ByOpenSsl, AesGcmTest, ::testing::Values(&aes_gcm_by_openssl));
INSTANTIATE_TEST_SUITE_P(ByIpsecMb, AesGcmTest, ::testing::Values(&aes_gcm_by_ipsec_mb));

}  // namespace
}  // namespace trellis
