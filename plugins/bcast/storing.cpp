#include "plugins/bcast/storing.hpp"

#include "plugins/bcast/feeder.hpp"
#include "plugins/bcast/packing.hpp"

#include <utility>

namespace trellis::plugins::bcast {

bool Storing::takes_coming() const {
    const Shape& shape = holding_.shape();
    const ChunkNumber number = holding_.chunks();
    if (holding_.coming_size() > 0) return holding_.space_left() > 0;
    return !shape.in_manifest(number) && holding_.stored() >= shape.manifest_chunks() &&
           holding_.space_left() > 0 && staging_.in_one_file(shape.begin_of(number), shape.size_of(number));
}

Task<Result<FilePlace>> Storing::put(std::size_t size, Haul* haul) {
    const Position from = holding_.end();
    Result<FilePlace> place = FilePlace();
    std::function<void()> work = [&] { place = put_now(from, size, haul); };
    co_await apart(std::move(work));
    if (!place) {
        failed_ = place.error();
        holding_.changed.notify();
        co_return place.error();
    }
    co_return place;
}

Result<FilePlace> Storing::put_now(Position from, std::size_t size, Haul* haul) {
    const Shape& shape = holding_.shape();
    const std::scoped_lock alone(writing_);
    Result<FilePlace> place = staging_.put(shape.begin_of(from.chunk) + from.offset, size, haul);
    if (!place) return place;
    place->offset -= from.offset;
    const FileDigest::Part part{place->offset, from.offset, from.offset + size};
    const Result<void> taken = filed_.take(from.chunk, *place->file, part);
    if (!taken) return taken.error();
    if (part.end == shape.size_of(from.chunk)) place->digest = filed_.end();
    return place;
}

Task<Result<Storing::Outcome>> Storing::store_next() {
    const ChunkNumber number = holding_.stored();
    const std::shared_ptr<const Chunk> chunk = holding_.recent(number);
    Result<bool> right = false;
    std::function<void()> work = [&] { right = check_and_put(number, *chunk); };
    if (is_checked_at_once(*chunk)) {
        work();
    } else {
        Task<void> checked = files_.in_background(std::move(work));
        co_await answered(std::move(checked));
    }
    if (!right) co_return right.error();
    if (!*right) co_return Outcome::damaged;
    holding_.stored_before(number + 1);
    co_return Outcome::stored;
}

// There is nothing to write or to compute: another thread would cost more.
bool Storing::is_checked_at_once(const Chunk& chunk) const {
    return !remains_ && !chunk.place.digest.empty();
}

// False: it is not what its digest says.
Result<bool> Storing::check_and_put(ChunkNumber number, const Chunk& chunk) {
    Result<void> done;
    if (chunk.place.file) {
        const Result<Digest> digest = digest_in_file(number, chunk);
        if (!digest) return digest.error();
        if (*digest != chunk.digest) return false;
        if (remains_) done = remains_->add(number, chunk.digest);
    } else {
        const auto unpacked =
            chunk.packed_from > 0 ? unpack(chunk.bytes, chunk.packed_from) : std::optional<std::string>();
        const std::string_view bytes = unpacked ? *unpacked : chunk.bytes;
        if (digester_.of(number, bytes) != chunk.digest) return false;
        done = write(number, bytes, chunk.digest);
    }
    if (!done) return done.error();
    return true;
}

// Where it ends may have been unknown when it came.
Result<Digest> Storing::digest_in_file(ChunkNumber number, const Chunk& chunk) const {
    if (!chunk.place.digest.empty()) return chunk.place.digest;
    FileDigest digest(digester_);
    const Result<void> taken = digest.take(number, *chunk.place.file, {chunk.place.offset, 0, chunk.size()});
    if (!taken) return taken.error();
    return digest.end();
}

Result<void> Storing::write(ChunkNumber number, std::string_view bytes, const Digest& digest) {
    const Shape& shape = holding_.shape();
    const std::scoped_lock alone(writing_);
    if (!shape.in_manifest(number)) {
        Result<void> written = staging_.write(shape.begin_of(number), bytes);
        if (written && remains_) written = remains_->add(number, digest);
        return written;
    }
    manifest_ += bytes;
    if (manifest_.size() < shape.manifest_bytes) return {};
    Result<Manifest> manifest = decode<Manifest>(manifest_);
    if (!manifest) return manifest.error();
    Result<void> valid = validate(*manifest, shape.content_bytes);
    if (!valid) return valid;
    if (remains_) valid = remains_->begin(manifest_);
    if (!valid) return valid;
    return staging_.begin(std::move(*manifest));
}

Task<Result<std::shared_ptr<const Chunk>>> Storing::read(ChunkNumber number) {
    Result<std::string> bytes = std::string();
    std::function<void()> work = [&] { bytes = get(number); };
    co_await apart(std::move(work));
    if (!bytes) co_return bytes.error();
    co_return std::make_shared<const Chunk>(Chunk{std::move(*bytes), holding_.digest(number)});
}

Task<bool> Storing::is_right(ChunkNumber number, Digest digest) {
    bool right = false;
    std::function<void()> work = [&] {
        const Result<std::string> bytes = get(number);
        right = bytes && digester_.of(number, *bytes) == digest;
    };
    co_await apart(std::move(work));
    co_return right;
}

Task<Result<void>> Storing::verify() {
    for (ChunkNumber number = holding_.shape().manifest_chunks(); number < holding_.chunks(); ++number) {
        Digest digest = holding_.digest(number);
        const bool right = co_await is_right(number, std::move(digest));
        if (!right) co_return unavailable("what was written reads otherwise: a damaged disk?");
    }
    co_return Result<void>();
}

Task<void> Storing::apart(std::function<void()> work) {
    Task<void> done = files_.apart(std::move(work));
    co_await answered(std::move(done));
}

Task<void> Storing::answered(Task<void> work) {
    ++awaited_;
    co_await std::move(work);
    --awaited_;
    files_.step();
}

Result<std::string> Storing::get(ChunkNumber number) {
    const Shape& shape = holding_.shape();
    const std::uint64_t begin = shape.begin_of(number);
    if (shape.in_manifest(number)) {
        const std::scoped_lock alone(writing_);
        return manifest_.substr(static_cast<std::size_t>(begin), chunk_size);
    }
    Result<std::string> bytes = staging_.read(begin, shape.size_of(number));
    if (bytes && bytes->empty()) return unavailable("a stored chunk cannot be read again");
    return bytes;
}

}  // namespace trellis::plugins::bcast
