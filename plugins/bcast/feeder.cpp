#include "plugins/bcast/feeder.hpp"

#include "trellis/message.hpp"

#include "plugins/bcast/record.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace trellis::plugins::bcast {

std::string joined(Parts parts) {
    std::string bytes;
    for (const std::string_view part : parts)
        bytes += part;
    return bytes;
}

Task<void> close_when_left(std::shared_ptr<ByteStream> stream) {
    (void)co_await stream->read();
    stream->close();
}

Task<std::string> read_first(ByteStream& stream, std::size_t size) {
    std::string first;
    while (first.size() < size) {
        const Result<std::string> bytes = co_await stream.read();
        if (!bytes || bytes->empty()) break;
        first += *bytes;
    }
    co_return first;
}

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
    if (at_.chunk == holding_.chunks() && at_.offset < holding_.coming_size()) return send_coming();
    return holding_.finished() || holding_.stopped() ? send_end() : wait();
}

bool Feeder::turns_to(bool packed) {
    const bool turns = packed != packed_ && at_.offset > 0;
    packed_ = packed;
    if (turns) at_.offset = 0;
    return turns;
}

Task<Result<void>> Feeder::send_whole() {
    std::shared_ptr<const Chunk> chunk = holding_.recent(at_.chunk);
    if (!chunk) {
        Result<std::shared_ptr<const Chunk>> again = co_await parts_.read_again(at_.chunk);
        if (!again) co_return co_await send_stop(again.error());
        chunk = std::move(*again);
    }
    if (turns_to(chunk->packed_from > 0)) co_return co_await write_again();
    Result<void> written;
    while (written && at_.offset < chunk->size())
        written = co_await send(chunk, chunk->size());
    if (!written) co_return written;
    at_ = {at_.chunk + 1, 0};
    ahead_ = end_record(*chunk);
    more_comes_ = chunk->size_in_object() == chunk_size;
    co_return written;
}

Task<Result<void>> Feeder::send_coming() {
    if (turns_to(holding_.coming_packed())) return write_again();
    return send(holding_.coming(), holding_.coming_size());
}

Task<Result<void>> Feeder::write_again() {
    return write(record(RecordKind::again));
}

// The next bytes of a chunk of which so many have come.
Task<Result<void>> Feeder::send(std::shared_ptr<const Chunk> chunk, std::size_t end) {
    if (chunk->place.file) co_return co_await send_from_file(std::move(chunk), end);
    const std::string_view piece =
        std::string_view(chunk->bytes).substr(at_.offset, std::min(end - at_.offset, piece_size));
    at_.offset += static_cast<std::uint32_t>(piece.size());
    if (parts_.sent) *parts_.sent += piece.size();
    if (!packed_ && is_zero(piece)) co_return co_await write(zeros_record(piece.size()));
    const std::string header = record_header(packed_ ? RecordKind::packed : RecordKind::data, piece.size());
    co_return co_await write(header, piece);
}

Task<Result<void>> Feeder::send_from_file(std::shared_ptr<const Chunk> chunk, std::size_t end) {
    const auto stretch = std::ranges::upper_bound(chunk->stretches, at_.offset, {}, &Stretch::end);
    const std::size_t size = std::min({end, stretch->end, at_.offset + piece_size}) - at_.offset;
    const std::uint64_t from = chunk->place.offset + at_.offset;
    at_.offset += static_cast<std::uint32_t>(size);
    if (parts_.sent) *parts_.sent += size;
    if (stretch->zeros) co_return co_await write(zeros_record(size));
    last_ = clock_.now();
    const std::string header = std::exchange(ahead_, {}) + record_header(RecordKind::data, size);
    co_return co_await parts_.write_file(header, *chunk->place.file, from, size);
}

Task<Result<void>> Feeder::send_end() {
    if (holding_.stopped()) co_return co_await send_stop(*holding_.stopped());
    done_ = true;
    co_return co_await write(record(RecordKind::end));
}

// What is gone for this host alone, as it comes too late, the others have.
Task<Result<void>> Feeder::send_stop(Failure why) {
    if (why.kind != FailureKind::lost) holding_.stop(why);
    done_ = true;
    (void)co_await write(record(RecordKind::stop, why.message()));
    co_return why;
}

Task<Result<void>> Feeder::wait() {
    if (!ahead_.empty() && !more_comes_) co_return co_await write({});
    if (clock_.now() - last_ >= tick) {
        std::string heartbeat = record(RecordKind::heartbeat, encode(holding_.pulse()));
        co_return co_await write(std::move(heartbeat));
    }
    co_await holding_.grown.wait();
    co_return Result<void>();
}

Task<Result<void>> Feeder::write(std::string header, std::string_view piece) {
    last_ = clock_.now();
    const std::string head = std::exchange(ahead_, {}) + header;
    const std::array<std::string_view, 2> parts{head, piece};
    co_return co_await parts_.write(parts);
}

}  // namespace trellis::plugins::bcast
