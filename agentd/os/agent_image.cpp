#include "agentd/os/agent_image.hpp"

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <utility>
#include <zlib.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>
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

Task<std::string> compress(std::string bytes) {
    co_return gzip(bytes);
}

// What the start-up script has left beside the agent, or nothing.
std::string packed_before(const std::string& path, const std::string& hash) {
    std::error_code ignored;
    const auto directory = std::filesystem::canonical(path, ignored).parent_path();
    std::ifstream file(directory / ("agentd-" + hash + ".gz"), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
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
    std::ifstream file(path_, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    if (!file || bytes.empty())
        return Failure{FailureKind::cannot_start, "start the agent", "", "cannot read " + path_};
    return bytes;
}

Result<AgentImage::Identity> AgentImage::identity() {
    if (identity_) return *identity_;
    const Result<std::string> bytes = read();
    if (!bytes) return bytes.error();
    std::string machine = elf_machine(*bytes);
    if (machine.empty())
        return Failure{FailureKind::cannot_start, "start the agent", "", path_ + " is no executable"};
    identity_ = Identity{sha256(*bytes), bytes->size(), std::move(machine)};
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
    Task<std::string> work = compress(std::move(*content));
    std::string packed = co_await asio::co_spawn(*compressor_, std::move(work), asio::use_awaitable);
    compressed_ = std::make_shared<const std::string>(std::move(packed));
    co_return compressed_;
}

}  // namespace trellis
