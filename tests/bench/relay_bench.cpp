// relay_bench: the processor time that a host needs at the least for each GB that it takes from one host,
// gives to the next one and keeps: records of 16 KiB opened and sealed (AES-128-GCM), chunks of 1 MiB hashed
// (a tag of AES-128-GMAC) and written to a file. Without the system's calls for sockets. Prints seconds for
// each GB, of each part and of all, of all with OpenSSL's ciphers alone, and of SHA-256.
// Usage: relay_bench [DIRECTORY]   (default /tmp)
#include "agentd/core/aes_gcm.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fcntl.h>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <unistd.h>

#include <openssl/evp.h>

namespace {

constexpr std::size_t record = 16384;
constexpr std::size_t tag = trellis::AesGcm::tag_size;
constexpr std::size_t chunk = std::size_t{1} << 20;
constexpr int chunks = 200;
constexpr int rounds = 5;

void require(bool done) {
    if (!done) throw std::runtime_error("relay_bench: a call has failed");
}

using Make = std::unique_ptr<trellis::AesGcm> (*)(trellis::AesGcm::Key, trellis::AesGcm::Use);

class Relay {
  public:
    explicit Relay(Make make)
        : sealing_(make(key, trellis::AesGcm::Use::sealing)),
          opening_(make(key, trellis::AesGcm::Use::opening)) {}

    void seal() {
        for (std::size_t i = 0; i < chunk / record; ++i) {
            sealing_->begin({}, "head.");
            sealing_->pass({&plain_[i * record], record}, &sealed_[i * (record + tag)]);
            sealing_->end(&sealed_[i * (record + tag) + record]);
        }
    }
    // What was sealed.
    void open() {
        for (std::size_t i = 0; i < chunk / record; ++i) {
            opening_->begin({}, "head.");
            opening_->pass({&sealed_[i * (record + tag)], record}, &plain_[i * record]);
            require(opening_->ends_with({&sealed_[i * (record + tag) + record], tag}));
        }
    }
    void hash() {
        char made[tag];
        sealing_->begin({}, "");
        sealing_->authenticate(plain_);
        sealing_->end(made);
    }

  private:
    static constexpr std::array<unsigned char, trellis::AesGcm::key_size> key{7};
    std::unique_ptr<trellis::AesGcm> sealing_, opening_;
    std::string plain_ = std::string(chunk, 'Z'),
                sealed_ = std::string(chunk / record * (record + tag), '\0');
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

// Of all that ciphers do; `print` is told of each.
double cost_of_ciphers(Make make, const std::function<double(const char*, double)>& print) {
    Relay relay(make);
    double sum = print("seal", cost([&](int) { relay.seal(); }));
    sum += print("open", cost([&](int) { relay.open(); }));
    return sum + print("tag", cost([&](int) { relay.hash(); }));
}

double cost_of_writing(const std::string& directory, const std::string& plain) {
    std::string name = directory + "/relay_bench-XXXXXX";
    const int file = ::mkstemp(name.data());
    require(file >= 0);
    ::unlink(name.c_str());
    const double seconds = cost([&](int i) {
        if (i == 0) require(::ftruncate(file, 0) == 0);
        const auto at = static_cast<off_t>(static_cast<std::size_t>(i) * chunk);
        require(::pwrite(file, plain.data(), chunk, at) == static_cast<ssize_t>(chunk));
    });
    ::close(file);
    return seconds;
}

}  // namespace

int main(int count, char** words) {
    const std::string plain(chunk, 'Z');
    const double ciphers = cost_of_ciphers(&trellis::aes_gcm, print);
    const double writing = print("write", cost_of_writing(count > 1 ? words[1] : "/tmp", plain));
    print("all", ciphers + writing);
    const auto quietly = [](const char*, double seconds) { return seconds; };
    print("openssl", cost_of_ciphers(&trellis::aes_gcm_by_openssl, quietly) + writing);
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    print("sha256", cost([&](int) {
              require(EVP_Digest(plain.data(), chunk, digest.data(), nullptr, EVP_sha256(), nullptr) == 1);
          }));
    return 0;
}
