#include "plugins/bcast/intake.hpp"

#include "trellis/message.hpp"

#include <utility>

namespace trellis::plugins::bcast {
namespace {

constexpr int patience = 5;         // ticks
constexpr int patience_blind = 50;  // with a host that knows nothing of the source: they may go in a circle
constexpr std::size_t most_unstored = 8;  // chunks: a disk that is slower holds up what comes

Failure damaged() {
    return {FailureKind::lost, "", "", "what came was damaged"};
}

Failure ended() {
    return {FailureKind::lost, "", "", "the host before this one ended"};
}

Failure too_much() {
    return invalid("a peer sent more than the object has");
}

}  // namespace

Task<Result<void>> Intake::take(std::shared_ptr<ByteStream> stream) {
    stream_ = stream;
    reader_ = {};
    zeros_ = 0;
    ticks_without_source_ = 0;
    was_silent_ = false;
    if (holding_.coming_packed()) holding_.begin_again();  // this one may have it otherwise
    std::string request = encode(holding_.end());
    Result<void> taken = co_await stream->write(std::move(request));
    while (taken && !holding_.finished()) {
        while (holding_.unstored() > most_unstored)
            co_await holding_.changed.wait();
        taken = co_await take_some(*stream);
    }
    co_return taken;
}

// Bytes of the object come straight to their place; what stands between them is short, and read without them
// if they are to go to a file.
Task<Result<void>> Intake::take_some(ByteStream& stream) {
    if (zeros_ > 0) co_return co_await take_zeros();
    if (reader_.data_left() > 0) co_return co_await take_data(stream);
    std::string bytes(filing_ ? reader_.lacking() : 64, '\0');
    const Result<std::size_t> size = co_await read(stream, bytes);
    if (!size) co_return size.error();
    bytes.resize(*size);
    co_return take_records(std::move(bytes));
}

Task<Result<void>> Intake::take_data(ByteStream& stream) {
    if (filing_ && !reader_.data_packed() && filing_->takes_coming()) co_return co_await take_to_file(stream);
    const Result<Holding::Place> place = holding_.place(reader_.data_left(), reader_.data_packed());
    if (!place) co_return place.error();
    const Result<std::size_t> size = co_await read(stream, place->space);
    if (!size) co_return size.error();
    ticks_without_source_ = 0;
    reader_.took(*size);
    holding_.came(*size);
    co_return Result<void>();
}

Task<Result<void>> Intake::take_to_file(ByteStream& stream) {
    if (reader_.data_left() > holding_.space_left()) co_return too_much();
    auto pulling = stream.pull(reader_.data_left());
    auto pulled = co_await heard(std::move(pulling));
    if (!pulled) co_return pulled.error();
    if (!*pulled) co_return ended();
    const std::size_t size = (*pulled)->size();
    ticks_without_source_ = 0;
    reader_.took(size);
    const Result<FilePlace> place = co_await filing_->put(size, pulled->get());
    if (!place) co_return place.error();
    if (!stream_) co_return damaged();
    holding_.came_to(*place, size, false);
    co_return Result<void>();
}

Task<Result<void>> Intake::take_zeros() {
    const std::size_t size = std::exchange(zeros_, 0);
    if (size > holding_.space_left()) co_return too_much();
    const Result<FilePlace> place = co_await filing_->put(size, nullptr);
    if (!place) co_return place.error();
    if (!stream_) co_return damaged();
    holding_.came_to(*place, size, true);
    co_return Result<void>();
}

// What is read, while silence is counted.
template <class T>
Task<Result<T>> Intake::heard(Task<Result<T>> reading) {
    if (!stream_) co_return damaged();
    silent_ticks_ = 0;
    reading_ = true;
    Result<T> got = co_await std::move(reading);
    reading_ = false;
    if (got && !stream_) co_return damaged();
    co_return got;
}

// At least one byte.
Task<Result<std::size_t>> Intake::read(ByteStream& stream, std::span<char> space) {
    auto reading = stream.read_into(space);
    const Result<std::size_t> size = co_await heard(std::move(reading));
    if (size && *size == 0) co_return ended();
    co_return size;
}

Result<void> Intake::take_records(std::string bytes) {
    reader_.feed(std::move(bytes));
    while (true) {
        const auto next = reader_.next();
        if (!next) return next.error();
        if (!*next) return {};
        Result<void> taken = take_record(**next);
        if (!taken) return taken;
    }
}

Result<void> Intake::take_record(const Record& record) {
    switch (record.kind) {
        case RecordKind::zeros:
        case RecordKind::data:
            ticks_without_source_ = 0;
            if (record.kind == RecordKind::data || !filing_ || !filing_->takes_coming())
                return holding_.append(record.bytes);
            zeros_ = record.bytes.size();
            return {};
        case RecordKind::digest:
            return holding_.seal(record.bytes);
        case RecordKind::packed:
            ticks_without_source_ = 0;
            return holding_.append(record.bytes, true);
        case RecordKind::packed_end:
            return holding_.seal(record.bytes.substr(0, digest_size),
                                 decode<std::uint32_t>(record.bytes.substr(digest_size)).value());
        case RecordKind::again:
            holding_.begin_again();
            return {};
        case RecordKind::end:
            return holding_.finish();
        case RecordKind::stop:
            return unavailable(std::string(record.bytes));
        case RecordKind::heartbeat:
            break;
    }
    const auto pulse = decode<std::uint64_t>(record.bytes);
    if (pulse && *pulse > holding_.pulse()) ticks_without_source_ = 0;
    if (pulse) holding_.beat(*pulse);
    return {};
}

// Ticks, not time: a host that itself had no processor for a while has heard nobody.
void Intake::check_silence() {
    if (!reading_) return;
    was_silent_ = ++silent_ticks_ > patience;
    if (was_silent_ || ++ticks_without_source_ > patience_blind) close();
}

void Intake::close() {
    if (stream_) std::exchange(stream_, nullptr)->close();
}

}  // namespace trellis::plugins::bcast
