// TlsStream: the ByteStream over a TlsConnection whose handshake is done. Closing or destroying it announces
// the end.
#pragma once

#include "trellis/byte_stream.hpp"

#include "agentd/os/tls_connection.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace trellis {

class TlsStream : public ByteStream {
  public:
    explicit TlsStream(std::shared_ptr<TlsConnection> connection);
    ~TlsStream() override;
    // An end that the other side did not announce is a Failure (lost).
    Task<Result<std::string>> read() override;
    Task<Result<void>> write(std::string bytes) override;
    Task<Result<std::size_t>> read_into(std::span<char> space) override;
    Task<Result<void>> write_parts(std::span<const std::string_view> parts) override;
    void gather(const Gathering& gathering) override;
    void keep_below_link(double bits_per_second) override;
    // Announces the end and closes when the other side has done so too, at most a second later.
    void close() override;
    // Closes without announcing it.
    void abort() override;
    [[nodiscard]] std::optional<std::uint64_t> delivered() const override;
    [[nodiscard]] std::optional<std::uint64_t> undelivered() const override;

  private:
    struct State;
    std::shared_ptr<State> state_;
};

// Over a connection that nobody else uses: a TlsStream or, where both ends were told so, a PlainStream.
[[nodiscard]] std::unique_ptr<ByteStream> stream_over(std::shared_ptr<TlsConnection> connection, bool plain);

}  // namespace trellis
