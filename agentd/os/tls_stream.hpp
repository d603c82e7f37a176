// TlsConnection: a TCP connection under TLS with a key of its own; TlsStream: the ByteStream over one whose
// handshake is done. The connection is shared by the stream and the operations that are under way on it.
#pragma once

#include "trellis/byte_stream.hpp"
#include "trellis/time.hpp"

#include "agentd/core/pair_key.hpp"

#include <array>
#include <memory>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>

namespace trellis {

struct TlsConnection {
    TlsConnection(asio::ip::tcp::socket socket, asio::ssl::context& context);
    [[nodiscard]] asio::ip::tcp::socket& socket() { return tls.next_layer(); }
    void close();

    SecretKey key;
    asio::ssl::stream<asio::ip::tcp::socket> tls;
    bool closed = false;
};

// Closes a connection unless it is destroyed in time.
class Deadline {
  public:
    Deadline(const std::shared_ptr<TlsConnection>& connection, Duration time);
    ~Deadline() { timer_.cancel(); }
    Deadline(const Deadline&) = delete;
    Deadline& operator=(const Deadline&) = delete;
    [[nodiscard]] bool passed() const { return *passed_; }

  private:
    asio::steady_timer timer_;
    std::shared_ptr<bool> passed_ = std::make_shared<bool>(false);
};

class TlsStream : public ByteStream {
  public:
    explicit TlsStream(std::shared_ptr<TlsConnection> connection);
    ~TlsStream() override;
    // An end that the other side did not announce is a Failure (lost), so that nothing is taken for complete
    // that was cut off.
    Task<Result<std::string>> read() override;
    Task<Result<void>> write(std::string bytes) override;
    // Announces the end and closes when the other side has done so too, at most a second later.
    void close() override;
    // Closes without announcing it.
    void cut();

  private:
    struct Input;
    std::shared_ptr<TlsConnection> connection_;
    std::shared_ptr<Input> input_;
};

}  // namespace trellis
