// relay_bench: the processor time that a host needs at the least for each GB that it takes from one host,
// gives to the next one and keeps: records of 16 KiB opened and sealed (AES-128-GCM), chunks of 1 MiB hashed
// (a tag of AES-128-GMAC) and written to a file. Without the system's calls for sockets. Prints seconds for
// each GB, of each part and of all, and of SHA-256 beside them.
// Usage: relay_bench [DIRECTORY]   (default /tmp)
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fcntl.h>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <vector>

#include <openssl/evp.h>

namespace {

constexpr int record = 16384;
constexpr int tag = 16;
constexpr std::size_t chunk = std::size_t{1} << 20;
constexpr int chunks = 200;
constexpr int rounds = 5;
using Bytes = std::vector<unsigned char>;

void require(bool done) {
    if (!done) throw std::runtime_error("relay_bench: a call has failed");
}

class Cipher {
  public:
    explicit Cipher(bool seals) : seals_(seals), context_(EVP_CIPHER_CTX_new(), &EVP_CIPHER_CTX_free) {
        require(EVP_CipherInit_ex(context_.get(), EVP_aes_128_gcm(), nullptr, key_.data(), nullptr,
                                  seals ? 1 : 0) == 1);
    }
    // One record; `sealed` has its tag behind it.
    void pass(unsigned char* plain, unsigned char* sealed) {
        int size = 0;
        EVP_CIPHER_CTX* context = context_.get();
        require(EVP_CipherInit_ex(context, nullptr, nullptr, nullptr, iv_.data(), -1) == 1);
        if (!seals_) require(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, tag, sealed + record) == 1);
        require(EVP_CipherUpdate(context, seals_ ? sealed : plain, &size, seals_ ? plain : sealed, record) ==
                1);
        require(EVP_CipherFinal_ex(context, (seals_ ? sealed : plain) + size, &size) == 1);
        if (seals_) require(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, tag, sealed + record) == 1);
    }

    // Of bytes that stay as they are; of a cipher that seals.
    void tag_of(const Bytes& bytes) {
        int size = 0;
        unsigned char nothing[tag], made[tag];
        EVP_CIPHER_CTX* context = context_.get();
        require(EVP_CipherInit_ex(context, nullptr, nullptr, nullptr, iv_.data(), -1) == 1 &&
                EVP_CipherUpdate(context, nullptr, &size, bytes.data(), static_cast<int>(bytes.size())) ==
                    1 &&
                EVP_CipherFinal_ex(context, nothing, &size) == 1 &&
                EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, tag, made) == 1);
    }

  private:
    bool seals_;
    Bytes key_ = Bytes(16, 7), iv_ = Bytes(12, 9);
    std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)> context_;
};

// Seconds of processor time for each GB, the least of some rounds.
double cost(const std::function<void(int)>& work) {
    double least = 1e9;
    for (int round = 0; round < rounds; ++round) {
        const std::clock_t begun = std::clock();
        for (int i = 0; i < chunks; ++i)
            work(i);
        least = std::min(least, static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC);
    }
    return least * 1e9 / (chunks * static_cast<double>(chunk));
}

double print(const char* what, double seconds) {
    std::printf("%-8s %.3f s/GB\n", what, seconds);
    return seconds;
}

}  // namespace

int main(int count, char** words) {
    Bytes plain(chunk, 0x5a), sealed(chunk / record * (record + tag));
    Cipher sealing(true), opening(false);
    const auto all = [&](Cipher& cipher) {
        for (std::size_t i = 0; i < chunk / record; ++i)
            cipher.pass(&plain[i * record], &sealed[i * (record + tag)]);
    };
    double sum = print("seal", cost([&](int) { all(sealing); }));
    sum += print("open", cost([&](int) { all(opening); }));
    Cipher tagging(true);
    sum += print("tag", cost([&](int) { tagging.tag_of(plain); }));
    std::string name = std::string(count > 1 ? words[1] : "/tmp") + "/relay_bench-XXXXXX";
    const int file = ::mkstemp(name.data());
    require(file >= 0);
    ::unlink(name.c_str());
    sum += print("write", cost([&](int i) {
                     if (i == 0) require(::ftruncate(file, 0) == 0);
                     const auto at = static_cast<off_t>(static_cast<std::size_t>(i) * chunk);
                     require(::pwrite(file, plain.data(), chunk, at) == static_cast<ssize_t>(chunk));
                 }));
    ::close(file);
    print("all", sum);
    Bytes digest(EVP_MAX_MD_SIZE);
    print("sha256", cost([&](int) {
              require(EVP_Digest(plain.data(), chunk, digest.data(), nullptr, EVP_sha256(), nullptr) == 1);
          }));
    return 0;
}
