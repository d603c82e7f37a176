#include "agentd/os/stream_link.hpp"

#include "agentd/core/frame_codec.hpp"
#include "agentd/os/wakeup.hpp"

#include <deque>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>

namespace trellis {

namespace {
constexpr std::size_t batch_size = std::size_t{64} << 10;
constexpr std::chrono::seconds flush_time{2};
}  // namespace

struct StreamLink::State {
    State(Executor on, std::unique_ptr<ByteStream> over, std::string to)
        : executor(std::move(on)), stream(std::move(over)), host(std::move(to)) {}

    Executor executor;
    std::unique_ptr<ByteStream> stream;
    std::string host;
    FrameDecoder decoder;
    std::string control;           // encoded frames, one after the other
    std::deque<std::string> bulk;  // one encoded frame each
    std::size_t queued = 0;        // bytes in both, and in the write that is under way
    bool writing = false;
    bool closing = false;
    bool failed = false;
    Wakeup drained{executor};
    asio::steady_timer flush_timer{executor};

    std::string take_batch() {
        std::string batch = std::move(control);
        control.clear();
        while (!bulk.empty() && (batch.empty() || batch.size() + bulk.front().size() <= batch_size)) {
            batch.append(bulk.front());
            bulk.pop_front();
        }
        return batch;
    }
    [[nodiscard]] bool empty() const { return control.empty() && bulk.empty(); }
    void written() {
        writing = false;
        if (queued < link_queue_limit) drained.notify();
        if (closing && !failed) end();
    }
    void end() {
        failed = true;
        control.clear();
        bulk.clear();
        queued = 0;
        flush_timer.cancel();
        drained.notify();
        stream->close();
    }
};

StreamLink::StreamLink(const Executor& executor, std::unique_ptr<ByteStream> stream,
                       std::string_view received, std::string host)
    : state_(std::make_shared<State>(executor, std::move(stream), std::move(host))) {
    state_->decoder.feed(received);
}

StreamLink::~StreamLink() {
    close();
}

void StreamLink::send(Frame frame) {
    State& state = *state_;
    if (state.failed || state.closing) return;
    state.queued += frame_header_size + frame.body.size();
    append_frame(frame.bulk ? state.bulk.emplace_back() : state.control, frame);
    if (state.writing) return;
    state.writing = true;
    // What is sent from here until the handlers that are ready have run leaves in one write: every write
    // costs the processes on its way a wake-up each.
    asio::post(state.executor, [state = state_] { begin_to_write(state); });
}

// Most of the time nobody has to wait.
void StreamLink::begin_to_write(const std::shared_ptr<State>& state) {
    std::string batch = state->take_batch();
    const std::size_t written = state->failed ? 0 : state->stream->write_now(batch);
    state->queued -= written;
    batch.erase(0, written);
    if (state->failed || (batch.empty() && state->empty())) return state->written();
    asio::co_spawn(state->executor, write_queue(state, std::move(batch)), asio::detached);
}

Task<void> StreamLink::write_queue(std::shared_ptr<State> state, std::string batch) {
    while (!state->failed) {
        if (batch.empty()) batch = state->take_batch();
        if (batch.empty()) break;
        const std::size_t size = batch.size();
        std::string part = std::exchange(batch, std::string());
        const Result<void> written = co_await state->stream->write(std::move(part));
        if (state->failed) break;
        if (!written) {
            // What the other side has sent before stays readable; reading then finds the end.
            state->control.clear();
            state->bulk.clear();
            state->queued = 0;
            state->drained.notify();
            break;
        }
        state->queued -= size;
        if (state->queued < link_queue_limit) state->drained.notify();
    }
    state->written();
}

Task<Result<Frame>> StreamLink::receive() {
    const std::shared_ptr<State> state = state_;
    for (;;) {
        Result<std::optional<Frame>> next = state->decoder.next();
        if (!next) {
            std::string cause = "what it sends is no frame: " + next.error().cause;
            co_return Failure{FailureKind::invalid, "receive", state->host, std::move(cause)};
        }
        if (*next) co_return std::move(**next);
        Result<std::string> bytes = co_await state->stream->read();
        if (state->closing || state->failed)
            co_return Failure{FailureKind::cancelled, "receive", state->host, "link closed"};
        if (!bytes) co_return Failure{FailureKind::lost, "receive", state->host, bytes.error().cause};
        if (bytes->empty()) co_return Failure{FailureKind::lost, "receive", state->host, "end of file"};
        state->decoder.feed(*bytes);
    }
}

Task<void> StreamLink::drained() {
    const std::shared_ptr<State> state = state_;
    while (!state->failed && state->queued >= link_queue_limit)
        co_await state->drained.wait();
}

void StreamLink::close() {
    if (state_->closing || state_->failed) return;
    state_->closing = true;
    if (!state_->writing) return state_->end();
    asio::co_spawn(state_->executor, close_late(state_), asio::detached);
}

Task<void> StreamLink::close_late(std::shared_ptr<State> state) {
    if (state->failed) co_return;
    state->flush_timer.expires_after(flush_time);
    co_await state->flush_timer.async_wait(as_result);
    if (!state->failed) state->end();
}

}  // namespace trellis
