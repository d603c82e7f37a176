// PlainStream: the ByteStream over a TCP connection whose two ends have proved who they are, and then go on
// without encryption. What goes to files and comes from files never enters the process. Closing or destroying
// it announces the end; an end is no proof that nothing was cut off.
#pragma once

#include "trellis/byte_stream.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <boost/asio/ip/tcp.hpp>

namespace trellis {

class PlainStream final : public ByteStream {
  public:
    explicit PlainStream(asio::ip::tcp::socket socket);
    ~PlainStream() override;
    Task<Result<std::string>> read() override;
    Task<Result<void>> write(std::string bytes) override;
    Task<Result<std::size_t>> read_into(std::span<char> space) override;
    Task<Result<void>> write_parts(std::span<const std::string_view> parts) override;
    void gather(const Gathering& gathering) override;  // of what is pulled
    // By a pipe.
    Task<Result<std::unique_ptr<Haul>>> pull(std::size_t size) override;
    Task<Result<void>> write_file(std::string_view head, OpenFile& file, std::uint64_t offset,
                                  std::size_t size) override;
    void keep_below_link(double bits_per_second) override;
    // Announces the end and closes when the other side has done so too, at most a second later.
    void close() override;
    void abort() override;
    [[nodiscard]] std::optional<std::uint64_t> delivered() const override;
    [[nodiscard]] std::optional<std::uint64_t> undelivered() const override;

  private:
    struct State;
    std::shared_ptr<State> state_;
};

}  // namespace trellis
