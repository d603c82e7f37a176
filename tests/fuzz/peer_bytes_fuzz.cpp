// What another host may send on a direct connection: hellos and welcomes before it has proved who it is, and
// streams of messages afterwards. The first byte chooses which, and the size of the pieces of a stream.
#include "agentd/core/pair_hello.hpp"
#include "agentd/core/probe_message.hpp"
#include "agentd/data/message_stream.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

namespace {

using namespace trellis;

// The bytes in pieces, then the end.
class Pieces : public ByteStream {
  public:
    Pieces(std::string_view bytes, std::size_t piece) : left_(bytes), piece_(piece) {}
    Task<Result<std::string>> read() override {
        std::string part(left_.substr(0, piece_));
        left_.remove_prefix(part.size());
        co_return part;
    }
    Task<Result<void>> write(std::string) override { co_return Result<void>(); }
    void close() override { left_ = {}; }

  private:
    std::string_view left_;
    std::size_t piece_;
};

Task<void> drain(MessageStream& stream) {
    while (true) {
        const Result<std::string> message = co_await stream.receive();
        if (!message) co_return;
        if (message->size() > max_peer_message) std::abort();
    }
}

void read_stream(std::string_view bytes, std::size_t piece) {
    asio::io_context context(1);
    MessageStream stream(context.get_executor(), std::make_unique<Pieces>(bytes, piece));
    asio::co_spawn(context, drain(stream), asio::detached);
    context.run();
}

PeerSession session_of(const SessionKey& key) {
    PeerSession session{OperationId{1}, std::string(session_nonce_size, 'n'), HostId{1}, {}};
    session.participants.resize(2);
    session.participants[0].id = HostId{1};
    session.participants[1].id = HostId{2};
    session.participants[1].key = key.public_key();
    return session;
}

// Nobody guesses a MAC.
void check_strangers(std::string_view bytes) {
    static const auto key = std::make_shared<const SessionKey>();
    static PairKeys keys(key, session_of(*key), PairPurpose::probe);
    static HelloGate gate(keys);
    if (gate.check(bytes)) std::abort();
    if (check_welcome(SecretKey(), "hello", bytes)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
    if (data[0] == 0) {
        check_strangers(bytes);
    } else {
        read_stream(bytes, data[0]);
    }
    return 0;
}
