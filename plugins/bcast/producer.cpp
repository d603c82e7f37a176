#include "plugins/bcast/producer.hpp"

namespace trellis::plugins::bcast {
namespace {

constexpr ChunkNumber read_ahead = 4;

}  // namespace

Task<Result<void>> Producer::run() {
    Result<void> done = co_await read_all();
    if (done) done = co_await source_.check();
    if (done) done = holding_.finish();
    if (!done) holding_.stop(done.error());
    co_return done;
}

Task<Result<void>> Producer::read_all() {
    for (ChunkNumber next = 0;; ++next) {
        while (next > holding_.wanted() + read_ahead)
            co_await holding_.changed.wait();
        const auto chunk = co_await source_.read(next);
        if (!chunk) co_return chunk.error();
        if (!*chunk) co_return Result<void>();
        const Result<void> added = holding_.add(*chunk);
        if (!added) co_return added;
        holding_.stored_before(next + 1);
    }
}

Task<Result<std::shared_ptr<const Chunk>>> Producer::read_again(ChunkNumber number) {
    auto chunk = co_await source_.read(number);
    if (chunk && (!*chunk || (*chunk)->digest != holding_.digest(number)))
        co_return unavailable(source_.about().name + ": changed while it was sent");
    co_return chunk;
}

}  // namespace trellis::plugins::bcast
