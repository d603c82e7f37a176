// ByteStream: an ordered stream of bytes both ways (a tunnel to an sshd, a data-plane connection).
// Owned by its user; destroying it closes it.
#pragma once

#include "trellis/file_store.hpp"
#include "trellis/result.hpp"
#include "trellis/task.hpp"
#include "trellis/time.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace trellis {

// Bytes on their way from a stream to a file, at which nobody looks. Owned by who has pulled them.
class Haul {
  public:
    virtual ~Haul() = default;
    [[nodiscard]] virtual std::size_t size() const = 0;
    // All of them, once; blocks as the file does, and may run apart.
    virtual Result<void> put(OpenFile& file, std::uint64_t offset) = 0;
};

class ByteStream {
  public:
    virtual ~ByteStream() = default;
    // At least one byte, or an empty string at the end of the stream.
    virtual Task<Result<std::string>> read() = 0;
    // Returns when all bytes are accepted.
    virtual Task<Result<void>> write(std::string bytes) = 0;
    // Of these bytes, as many as are accepted without waiting: what is left goes through write(). Not while a
    // write() is under way.
    virtual std::size_t write_now(std::string_view /*bytes*/) { return 0; }
    virtual void close() = 0;
    // Closes at once: what is still on its way is thrown away, and the other end fails.
    virtual void abort() { close(); }
    // How many bytes the other end's system has, as far as is known here, those behind a gap among them; what
    // is sent with the stream's own (of an encryption) counts too. Nothing if this kind of stream cannot
    // tell.
    [[nodiscard]] virtual std::optional<std::uint64_t> delivered() const { return std::nullopt; }
    // How many bytes have been written that the other end's system does not have yet. Nothing as above.
    [[nodiscard]] virtual std::optional<std::uint64_t> undelivered() const { return std::nullopt; }

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
    // Much is coming: where it comes little by little, what reads may wait for more, since every turn has its
    // price. Nothing where that has no price.
    struct Gathering {
        Duration most{0};  // at a time; 0: not at all
        // Where what is read is sent on: the bytes of it that have not arrived yet, so that a link falls idle
        // for a part of that time at most. Nothing, or no function: it is not sent on.
        using Ahead = std::function<std::optional<std::uint64_t>()>;
        Ahead ahead;
    };
    virtual void gather(const Gathering&) {}
    // What is written leaves evenly, a little below the rate of a link, in bits per second of whole Ethernet
    // frames; 0: of the slowest one on the way, as it shows. Nothing where that cannot be told or seen.
    virtual void keep_below_link(double /*bits_per_second*/) {}
    // All parts, one after the other; they stay valid until it returns.
    virtual Task<Result<void>> write_parts(std::span<const std::string_view> parts) {
        std::string bytes;
        for (const std::string_view part : parts)
            bytes += part;
        co_return co_await write(std::move(bytes));
    }

    // As read_into(), for bytes that only go to a file: at least one, at most `size`; null at the end. A haul
    // may outlive the stream.
    virtual Task<Result<std::unique_ptr<Haul>>> pull(std::size_t size) {
        auto haul = std::make_unique<Held>();
        haul->bytes.resize(std::min(size, most_held));
        const Result<std::size_t> got = co_await read_into(haul->bytes);
        if (!got) co_return got.error();
        haul->bytes.resize(*got);
        if (*got == 0) co_return nullptr;
        co_return haul;
    }
    // These bytes, and behind them a part of a file, which is there and was read or written shortly before.
    virtual Task<Result<void>> write_file(std::string_view head, OpenFile& file, std::uint64_t offset,
                                          std::size_t size) {
        const Result<std::string> bytes = file.read(offset, size);
        if (!bytes) co_return bytes.error();
        if (bytes->size() < size) co_return unavailable("a file became shorter");
        const std::array<std::string_view, 2> parts{head, *bytes};
        co_return co_await write_parts(parts);
    }

  private:
    static constexpr std::size_t most_held = std::size_t{1} << 16;
    struct Held final : Haul {
        std::string bytes;
        [[nodiscard]] std::size_t size() const override { return bytes.size(); }
        Result<void> put(OpenFile& file, std::uint64_t offset) override { return file.write(offset, bytes); }
    };
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
