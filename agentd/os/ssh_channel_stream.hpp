// SshChannelStream: a ByteStream over one channel of an SshConnection: a command that runs on the other side,
// or a TCP connection that starts there. Owned by its user; keeps the connection alive.
#pragma once

#include "trellis/byte_stream.hpp"

#include "agentd/os/ssh_connection.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace trellis {

class SshChannelStream : public ByteStream {
  public:
    // Failures: lost, refused (the other side's policy), unreachable (forwarding).
    static Task<Result<std::unique_ptr<SshChannelStream>>> execute(std::shared_ptr<SshConnection> connection,
                                                                   std::string command);
    static Task<Result<std::unique_ptr<SshChannelStream>>> forward(std::shared_ptr<SshConnection> connection,
                                                                   std::string host, std::uint16_t port);
    ~SshChannelStream() override;
    Task<Result<std::string>> read() override;
    Task<Result<void>> write(std::string bytes) override;
    std::size_t write_now(std::string_view bytes) override;
    void close() override;
    // The last part of what the command has printed to its standard error.
    [[nodiscard]] std::string complaint() const;

  private:
    struct State;
    explicit SshChannelStream(std::shared_ptr<State> state) : state_(std::move(state)) {}
    std::shared_ptr<State> state_;
};

}  // namespace trellis
