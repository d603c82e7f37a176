// SimLink and SimByteStream: one end of a Connection as the seams Link and ByteStream. Owned by their users;
// destroying them closes their end.
#pragma once

#include "trellis/byte_stream.hpp"
#include "trellis/link.hpp"

#include "tests/sim/connection.hpp"

namespace trellis::sim {

class SimLink final : public Link {
  public:
    SimLink(std::shared_ptr<Connection> connection, Connection::Side side)
        : connection_(std::move(connection)), side_(side) {}
    ~SimLink() override { close(); }

    void send(Frame frame) override;
    // Bytes instead of a frame (injected by a test) go through the real decoder.
    Task<Result<Frame>> receive() override;
    Task<void> drained() override { return connection_->drained(side_); }
    void close() override { connection_->close(side_); }

  private:
    std::shared_ptr<Connection> connection_;
    Connection::Side side_;
};

// What is written at once arrives in pieces, as the records of TLS do.
inline constexpr std::size_t most_stream_piece = std::size_t{16} << 10;

class SimByteStream final : public ByteStream {
  public:
    SimByteStream(std::shared_ptr<Connection> connection, Connection::Side side)
        : connection_(std::move(connection)), side_(side) {}
    ~SimByteStream() override { close(); }

    Task<Result<std::string>> read() override;
    Task<Result<void>> write(std::string bytes) override;
    Task<Result<void>> write_parts(std::span<const std::string_view> parts) override;
    void close() override { connection_->close(side_); }
    void abort() override { connection_->abort(side_); }
    [[nodiscard]] std::optional<std::uint64_t> delivered() const override {
        return connection_->delivered(side_);
    }

  private:
    std::shared_ptr<Connection> connection_;
    Connection::Side side_;
};

}  // namespace trellis::sim
