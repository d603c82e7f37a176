#include "agentd/os/agent_image.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <utility>

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

// Where this form lies; empty: nowhere. Where there is only one, it is asked for as the light one.
std::string packed_file(const std::filesystem::path& path, AgentForm form) {
    const std::string whole = path.string() + ".zst", light = path.string() + ".light.zst";
    std::error_code ignored;
    if (!std::filesystem::exists(light, ignored)) return form == AgentForm::light ? whole : "";
    return form == AgentForm::light ? light : whole;
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

// An agent that was sent trusts the name of its file, as whoever started it did: hashing some megabytes on
// each of many hosts of one machine would take longer than all logins.
Result<AgentImage::Identity> AgentImage::identity() {
    if (identity_) return *identity_;
    const std::filesystem::path path = real_path(path_);
    const std::string header = read_file(path, elf_header);
    if (header.empty()) return unusable("cannot read " + path_);
    std::string machine = elf_machine(header);
    if (machine.empty()) return unusable(path_ + " is no executable");
    std::string hash = hash_in_name(path);
    if (hash.empty()) {
        std::string sent;
        for (const std::string& file :
             {packed_file(path, AgentForm::light), packed_file(path, AgentForm::full)}) {
            const std::string packed = file.empty() ? "" : read_file(file, UINTMAX_MAX);
            if (packed.empty() && !file.empty()) return unusable("cannot read " + file);
            sent += sha256(packed);
        }
        hash = sha256(sent);
    }
    identity_ = Identity{std::move(hash), std::move(machine)};
    return *identity_;
}

Result<std::shared_ptr<const std::string>> AgentImage::parcel(AgentForm form) {
    std::weak_ptr<const std::string>& kept = form == AgentForm::light ? light_ : full_;
    if (auto loaded = kept.lock()) return loaded;
    const std::filesystem::path path = real_path(path_);
    const std::string file = packed_file(path, form);
    if (file.empty()) return std::shared_ptr<const std::string>();
    const std::string unpacker = read_file(path.string() + ".unpack", UINTMAX_MAX);
    const std::string packed = read_file(file, UINTMAX_MAX);
    if (unpacker.empty()) return unusable("cannot read " + path.string() + ".unpack");
    if (packed.empty()) return unusable("cannot read " + file);
    auto parcel = std::make_shared<const std::string>(
        std::to_string(unpacker.size()) + " " + std::to_string(packed.size()) + "\n" + unpacker + packed);
    kept = parcel;
    return parcel;
}

}  // namespace trellis
