// StreamLink: a Link over any ByteStream (an ssh channel, pipes of a local agent, a data-plane connection).
// Frames that were queued in one turn leave in one write, control before bulk. Owned by the neighbour's
// session; closing flushes for at most two seconds. Never reads ahead of receive() by more than one read.
#pragma once

#include "trellis/byte_stream.hpp"
#include "trellis/link.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace trellis {

// More than this many bytes in the queue hold up drained().
inline constexpr std::size_t link_queue_limit = std::size_t{256} << 10;

class StreamLink : public Link {
  public:
    // `received`: bytes that came from the stream already. `host`: named in Failures.
    StreamLink(const Executor& executor, std::unique_ptr<ByteStream> stream, std::string_view received = {},
               std::string host = {});
    ~StreamLink() override;
    void send(Frame frame) override;
    Task<Result<Frame>> receive() override;
    Task<void> drained() override;
    void close() override;

  private:
    struct State;
    static void begin_to_write(const std::shared_ptr<State>& state);
    static Task<void> write_queue(std::shared_ptr<State> state, std::string batch);
    static Task<void> close_late(std::shared_ptr<State> state);
    std::shared_ptr<State> state_;
};

}  // namespace trellis
