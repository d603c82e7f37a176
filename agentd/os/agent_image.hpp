// AgentImage: the agent's executable as it is sent to other hosts. Owned by the Spawner. The file is read
// when it is first asked for, and only its header where its name is its hash; beside it lie its packed form
// and the program that unpacks it, which are in memory only while somebody sends them.
#pragma once

#include "trellis/result.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

namespace trellis {

class AgentImage {
  public:
    struct Identity {
        std::string hash;  // SHA-256, hexadecimal
        std::size_t size = 0;
        std::string machine;  // as `uname -m` prints it, e.g. "x86_64"
    };
    struct Parcel {
        std::string unpacker;  // a program for the same machine
        std::string packed;
    };

    // `path`: the static agent; an agent passes "/proc/self/exe".
    explicit AgentImage(std::string path) : path_(std::move(path)) {}

    [[nodiscard]] const std::string& path() const { return path_; }
    // Failures: cannot_start (unreadable, no ELF file).
    Result<Identity> identity();
    // Failures: cannot_start (unreadable).
    Result<std::shared_ptr<const Parcel>> parcel();

  private:
    std::string path_;
    std::optional<Identity> identity_;
    std::weak_ptr<const Parcel> parcel_;
};

// The machine's name in an ELF header, or empty.
[[nodiscard]] std::string elf_machine(std::string_view file);

}  // namespace trellis
