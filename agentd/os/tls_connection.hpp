// TlsConnection: a TCP connection under TLS with a key of its own. OpenSSL does the handshake and reads the
// socket itself meanwhile; the data's records are opened and sealed here. Shared by the stream over it and
// the coroutines that wait on it; one may read while one writes.
#pragma once

#include "trellis/byte_stream.hpp"
#include "trellis/result.hpp"
#include "trellis/task.hpp"
#include "trellis/time.hpp"

#include "agentd/core/pair_key.hpp"
#include "agentd/os/receive_window.hpp"
#include "agentd/os/tls_records.hpp"
#include "agentd/os/tls_session.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

namespace trellis {

class TlsConnection {
  public:
    enum class Side { client, server };

    // `context` outlives it.
    TlsConnection(asio::ip::tcp::socket socket, const TlsContext& context);
    [[nodiscard]] asio::ip::tcp::socket& socket() { return socket_; }

    // Proves `key` to the other end, which proves it too. Failures of this and what follows: lost.
    Task<Result<void>> handshake(Side side);
    // At least one byte, at most as many as there is space for; 0: the other end has announced its end. An
    // end that it did not announce is a Failure, so that nothing is taken for complete that was cut off.
    Task<Result<std::size_t>> read(std::span<char> space);
    Task<Result<void>> write(std::span<const std::string_view> parts);
    // Announces the end and waits for the other end's.
    Task<void> farewell();
    // What waits above fails.
    void cancel();
    // The same, and the connection is cut.
    void close();
    // While much comes, read() waits from now on for 64 KiB of it, as far as that can be foreseen.
    void gather(const ByteStream::Gathering& gathering) { gathering_ = gathering; }
    // After the handshake, and before anything else: the socket without TLS. The connection is of no use any
    // more.
    asio::ip::tcp::socket leave() { return std::move(socket_); }

    void use_key(const SecretKey& key) { secrets_.shared = key; }  // before the handshake

    // What OpenSSL sees of the socket during the handshake.
    struct Pipe {
        asio::ip::tcp::socket& socket;
        std::string cause;  // why there will be nothing more
        std::string out;
    };

  private:
    struct Free {
        void operator()(SSL* ssl) const;
    };
    // What a call gave that did not succeed: what it needs has come since, or a Failure.
    Task<Result<void>> wait_after(int result);
    Task<Result<void>> flush();
    Task<Result<void>> send(std::string_view bytes);
    Task<void> give_way(std::size_t& done);
    Result<void> receive();
    Task<Result<void>> wait_for_more();
    Task<Result<void>> wait();
    Task<Result<void>> sleep(Duration time);
    void wake_at(std::size_t size);

    asio::ip::tcp::socket socket_;
    asio::steady_timer timer_;  // for more to come
    ByteStream::Gathering gathering_;
    ReceiveWindow window_;
    std::chrono::steady_clock::time_point empty_ =
        std::chrono::steady_clock::now();  // the socket, the last time
    unsigned cancels_ = 0;
    TlsSecrets secrets_;
    Pipe pipe_{socket_, {}, {}};
    std::unique_ptr<SSL, Free> ssl_;  // until the handshake is done
    std::optional<RecordSealer> sealer_;
    std::optional<RecordOpener> opener_;
    std::size_t received_ = 0, sent_ = 0;  // since the last time that others had their turn
    bool sending_ = false;                 // or it failed
    bool drained_ = false;                 // the socket, when it was read the last time
    int wakes_at_ = 1;                     // bytes in the socket
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

}  // namespace trellis
