// AgentImage: the agent's executable as it is sent to other hosts. Owned by the Spawner. The file is read
// when it is first asked for, and only its header where its name is its hash; what it holds in memory in
// between is the hash alone, and the compressed bytes only while somebody sends them.
#pragma once

#include "trellis/result.hpp"
#include "trellis/task.hpp"

#include "agentd/os/wakeup.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include <boost/asio/thread_pool.hpp>

namespace trellis {

class AgentImage {
  public:
    struct Identity {
        std::string hash;  // SHA-256, hexadecimal
        std::size_t size = 0;
        std::string machine;  // as `uname -m` prints it, e.g. "x86_64"
    };
    using Bytes = std::shared_ptr<const std::string>;

    // `path`: the static agent; an agent passes "/proc/self/exe".
    explicit AgentImage(std::string path) : path_(std::move(path)) {}

    [[nodiscard]] const std::string& path() const { return path_; }
    // Failures: cannot_start (unreadable, no ELF file).
    Result<Identity> identity();
    // The file, gzipped if asked for.
    Task<Result<Bytes>> bytes(bool packed);

  private:
    struct Compressing;
    [[nodiscard]] Result<std::string> read() const;
    Task<Result<Bytes>> compressed();

    std::string path_;
    std::optional<Identity> identity_;
    Bytes compressed_;
    std::weak_ptr<Compressing> compressing_;  // expired: nobody does
    std::unique_ptr<asio::thread_pool> compressor_;
};

// The machine's name in an ELF header, or empty.
[[nodiscard]] std::string elf_machine(std::string_view file);

// gzip format, fast rather than small.
[[nodiscard]] std::string gzip(std::string_view bytes);

}  // namespace trellis
