#include "agentd/os/agent_image.hpp"

#include "agentd/os/pool_work.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <utility>
#include <zlib.h>

#include <openssl/evp.h>

namespace trellis {

namespace {

std::string sha256(std::string_view bytes) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int size = 0;
    EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr);
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (unsigned int i = 0; i < size; ++i) {
        text += digits[digest[i] >> 4];
        text += digits[digest[i] & 15];
    }
    return text;
}

constexpr std::size_t elf_header = 64;

Failure unusable(const std::string& cause) {
    return Failure{FailureKind::cannot_start, "start the agent", "", cause};
}

// At most so many bytes from its begin; empty if it cannot be read.
std::string read_file(const std::filesystem::path& path, std::uintmax_t most) {
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(path, error);
    if (error) return "";
    std::string bytes(std::min(size, most), '\0');
    std::ifstream file(path, std::ios::binary);
    if (!file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()))) return "";
    return bytes;
}

std::filesystem::path real_path(const std::string& path) {
    std::error_code ignored;
    return std::filesystem::canonical(path, ignored);
}

// The start-up script has called the file agentd-HASH; empty if this one has another name.
std::string hash_in_name(const std::filesystem::path& path) {
    constexpr std::string_view before = "agentd-";
    const std::string name = path.filename().string();
    const bool named = name.starts_with(before) && name.size() == before.size() + 64 &&
                       name.find_first_not_of("0123456789abcdef", before.size()) == std::string::npos;
    return named ? name.substr(before.size()) : "";
}

// What the start-up script has left beside the agent, or nothing.
std::string packed_before(const std::string& path, const std::string& hash) {
    return read_file(real_path(path).parent_path() / ("agentd-" + hash + ".gz"), UINTMAX_MAX);
}

}  // namespace

std::string elf_machine(std::string_view file) {
    constexpr std::array<std::pair<unsigned, std::string_view>, 6> machines{
        {{3, "i686"}, {21, "ppc64le"}, {22, "s390x"}, {62, "x86_64"}, {183, "aarch64"}, {243, "riscv64"}}};
    if (file.size() < 20 || !file.starts_with("\x7f"
                                              "ELF"))
        return "";
    const unsigned number =
        static_cast<unsigned char>(file[18]) + 256U * static_cast<unsigned char>(file[19]);
    for (const auto& [machine, name] : machines)
        if (machine == number) return std::string(name);
    return "";
}

std::string gzip(std::string_view bytes) {
    z_stream stream{};
    constexpr int gzip_window = 15 + 16;
    if (deflateInit2(&stream, 1, Z_DEFLATED, gzip_window, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        throw std::runtime_error("gzip: out of memory");
    std::string packed(deflateBound(&stream, bytes.size()), '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(bytes.size());
    stream.next_out = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_out = static_cast<uInt>(packed.size());
    deflate(&stream, Z_FINISH);
    packed.resize(stream.total_out);
    deflateEnd(&stream);
    return packed;
}

Result<std::string> AgentImage::read() const {
    std::string bytes = read_file(path_, UINTMAX_MAX);
    if (bytes.empty()) return unusable("cannot read " + path_);
    return bytes;
}

// An agent that was sent trusts the name of its file, as whoever started it did: hashing some megabytes on
// each of many hosts of one machine would take longer than all logins.
Result<AgentImage::Identity> AgentImage::identity() {
    if (identity_) return *identity_;
    const std::filesystem::path path = real_path(path_);
    std::string hash = hash_in_name(path);
    const std::string bytes = read_file(path, hash.empty() ? UINTMAX_MAX : elf_header);
    if (bytes.empty()) return unusable("cannot read " + path_);
    std::string machine = elf_machine(bytes);
    if (machine.empty()) return unusable(path_ + " is no executable");
    if (hash.empty()) hash = sha256(bytes);
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(path, error);
    if (error) return unusable("cannot read " + path_);
    identity_ = Identity{std::move(hash), size, std::move(machine)};
    return *identity_;
}

// While one coroutine compresses and the others wait for it. The coroutine may be destroyed after the image.
struct AgentImage::Compressing {
    explicit Compressing(const Executor& executor) : ended(executor) {}
    Wakeup ended;
    bool over = false;
};

Task<Result<AgentImage::Bytes>> AgentImage::bytes(bool packed) {
    if (packed) co_return co_await compressed();
    Result<std::string> content = read();
    if (!content) co_return content.error();
    co_return std::make_shared<const std::string>(std::move(*content));
}

Task<Result<AgentImage::Bytes>> AgentImage::compressed() {
    while (const std::shared_ptr<Compressing> other = compressing_.lock()) {
        if (other->over) break;
        co_await other->ended.wait();
    }
    if (compressed_) co_return compressed_;
    const Result<Identity> known = identity();
    if (!known) co_return known.error();
    if (std::string packed = packed_before(path_, known->hash); !packed.empty()) {
        compressed_ = std::make_shared<const std::string>(std::move(packed));
        co_return compressed_;
    }
    const Executor executor = co_await asio::this_coro::executor;
    const auto compressing = std::make_shared<Compressing>(executor);
    struct Ending {
        Compressing& compressing;
        ~Ending() {
            compressing.over = true;
            compressing.ended.notify();
        }
    };
    const Ending ending{*compressing};
    compressing_ = compressing;
    Result<std::string> content = read();
    if (!content) co_return content.error();
    if (!compressor_) compressor_ = std::make_unique<asio::thread_pool>(1);
    const auto packed = std::make_shared<std::string>();
    std::function<void()> work = [packed, plain = std::move(*content)] { *packed = gzip(plain); };
    co_await done_on(*compressor_, std::move(work));
    compressed_ = packed;
    co_return compressed_;
}

}  // namespace trellis
