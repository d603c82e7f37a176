// AgentImage: the agent as it is sent to other hosts. Owned by the Spawner. It comes in two forms: the light
// one takes the C library, OpenSSL, zlib and zstd from the host, and is a third as large; the full one runs
// on any host. Beside the program lie both as they are sent, compressed; an agent that was sent has only its
// own form, and the program that unpacked it. They are in memory only while somebody sends them.
#pragma once

#include "trellis/result.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace trellis {

enum class AgentForm : std::uint8_t { light, full };

class AgentImage {
  public:
    struct Identity {
        std::string hash;     // SHA-256 of all that may be sent, hexadecimal
        std::string machine;  // as `uname -m` prints it, e.g. "x86_64"
    };

    // `path`: the agent's program; an agent passes "/proc/self/exe".
    explicit AgentImage(std::string path) : path_(std::move(path)) {}

    [[nodiscard]] const std::string& path() const { return path_; }
    // Failures: cannot_start (unreadable, no ELF file).
    Result<Identity> identity();
    // What the host reads when it asks for this form: the line with two numbers, what unpacks the agent, and
    // the packed agent. Null: it is not here. An agent that was sent gives its own form for the light one.
    // Failures: cannot_start (unreadable).
    Result<std::shared_ptr<const std::string>> parcel(AgentForm form);

  private:
    std::string path_;
    std::optional<Identity> identity_;
    std::weak_ptr<const std::string> light_, full_;
};

// The machine's name in an ELF header, or empty.
[[nodiscard]] std::string elf_machine(std::string_view file);

}  // namespace trellis
