#include "plugins/bcast/feeder.hpp"

#include "trellis/message.hpp"

#include "plugins/bcast/record.hpp"

#include <algorithm>
#include <utility>

namespace trellis::plugins::bcast {

Task<Result<void>> Feeder::run() {
    while (!done_) {
        holding_.want(at_.chunk);
        const Result<void> stepped = co_await step();
        if (!stepped) co_return stepped;
    }
    co_return Result<void>();
}

Task<Result<void>> Feeder::step() {
    if (at_.chunk < holding_.chunks()) return send_whole();
    if (at_.chunk == holding_.chunks() && at_.offset < holding_.coming().size()) return send_coming();
    return holding_.finished() || holding_.stopped() ? send_end() : wait();
}

Task<Result<void>> Feeder::send_whole() {
    std::shared_ptr<const Chunk> chunk = holding_.recent(at_.chunk);
    if (!chunk) {
        Result<std::shared_ptr<const Chunk>> again = co_await parts_.read_again(at_.chunk);
        if (!again) holding_.stop(again.error());
        if (!again) co_return co_await send_end();
        chunk = std::move(*again);
    }
    const std::string_view bytes = chunk->bytes;
    while (true) {
        const std::string_view piece =
            bytes.substr(std::min<std::size_t>(at_.offset, bytes.size()), piece_size);
        std::string text = piece.empty() ? std::string() : record(RecordKind::data, piece);
        at_.offset += static_cast<std::uint32_t>(piece.size());
        const bool whole = at_.offset >= bytes.size();
        if (whole) text += record(RecordKind::digest, chunk->digest);
        if (whole) at_ = {at_.chunk + 1, 0};
        sent_ += piece.size();
        const Result<void> written = co_await write(std::move(text));
        if (!written || whole) co_return written;
    }
}

Task<Result<void>> Feeder::send_coming() {
    const std::string_view piece = holding_.coming().substr(at_.offset, piece_size);
    at_.offset += static_cast<std::uint32_t>(piece.size());
    sent_ += piece.size();
    return write(record(RecordKind::data, piece));
}

Task<Result<void>> Feeder::send_end() {
    const auto stopped = holding_.stopped();
    std::string last = stopped ? record(RecordKind::stop, stopped->message()) : record(RecordKind::end);
    const Result<void> written = co_await write(std::move(last));
    done_ = true;
    if (stopped) co_return *stopped;
    co_return written;
}

Task<Result<void>> Feeder::wait() {
    if (clock_.now() - last_ >= tick) {
        std::string heartbeat = record(RecordKind::heartbeat, encode(holding_.pulse()));
        co_return co_await write(std::move(heartbeat));
    }
    co_await holding_.changed.wait();
    co_return Result<void>();
}

Task<Result<void>> Feeder::write(std::string bytes) {
    last_ = clock_.now();
    return parts_.write(std::move(bytes));
}

}  // namespace trellis::plugins::bcast
