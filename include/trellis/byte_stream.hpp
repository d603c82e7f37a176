// ByteStream: an ordered stream of bytes both ways (a tunnel to an sshd, a data-plane connection).
// Owned by its user; destroying it closes it.
#pragma once

#include "trellis/result.hpp"
#include "trellis/task.hpp"
#include "trellis/time.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace trellis {

class ByteStream {
  public:
    virtual ~ByteStream() = default;
    // At least one byte, or an empty string at the end of the stream.
    virtual Task<Result<std::string>> read() = 0;
    // Returns when all bytes are accepted.
    virtual Task<Result<void>> write(std::string bytes) = 0;
    virtual void close() = 0;
    // Closes at once: what is still on its way is thrown away, and the other end fails.
    virtual void abort() { close(); }
    // How many bytes the other end's system has, as far as is known here, those behind a gap among them; what
    // is sent with the stream's own (of an encryption) counts too. Nothing if this kind of stream cannot
    // tell.
    [[nodiscard]] virtual std::optional<std::uint64_t> delivered() const { return std::nullopt; }

    // As read(), to where the bytes belong, which stays valid until it returns: how many have come; 0 at the
    // end. read() is not to be called any more.
    virtual Task<Result<std::size_t>> read_into(std::span<char> space) {
        if (left_.empty()) {
            Result<std::string> bytes = co_await read();
            if (!bytes) co_return bytes.error();
            left_ = std::move(*bytes);
        }
        const std::size_t size = left_.copy(space.data(), space.size());
        left_.erase(0, size);
        co_return size;
    }
    // All parts, one after the other; they stay valid until it returns.
    virtual Task<Result<void>> write_parts(std::span<const std::string_view> parts) {
        std::string bytes;
        for (const std::string_view part : parts)
            bytes += part;
        co_return co_await write(std::move(bytes));
    }

  private:
    std::string left_;  // of what read() has given
};

// Dialer: opens plain TCP connections, for the tunnels of end-to-end logins.
class Dialer {
  public:
    virtual ~Dialer() = default;
    // `host`: name or numeric address. Failures: unreachable, timed_out.
    virtual Task<Result<std::unique_ptr<ByteStream>>> dial(std::string host, std::uint16_t port,
                                                           Duration timeout) = 0;
};

}  // namespace trellis
