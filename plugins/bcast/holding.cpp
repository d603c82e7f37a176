#include "plugins/bcast/holding.hpp"

#include <algorithm>
#include <utility>

namespace trellis::plugins::bcast {

Result<void> Holding::append(std::string_view bytes, bool packed) {
    const Result<Place> there = place(bytes.size(), packed);
    if (!there) return there.error();
    bytes.copy(there->space.data(), bytes.size());
    came(bytes.size());
    return {};
}

Result<Holding::Place> Holding::place(std::size_t size, bool packed) {
    if (coming_size_ == 0) packed_ = packed;
    const bool elsewhere = coming_ && coming_->place.file;
    if (finished_ || elsewhere || packed != packed_ || coming_size_ + size > shape_.size_of(chunks()))
        return invalid("a peer sent more than the object has");
    if (!coming_) coming_ = chunk_of(shape_.size_of(chunks()));
    return Place{coming_, std::span(coming_->bytes).subspan(coming_size_, size)};
}

std::shared_ptr<Chunk> Holding::chunk_of(std::size_t size) {
    auto chunk = std::make_unique<Chunk>();
    if (!spare_->empty()) {
        chunk->bytes = std::move(spare_->back());
        spare_->pop_back();
    }
    chunk->bytes.resize(size);
    const auto give_back = [spare = spare_](Chunk* used) {
        spare->push_back(std::move(used->bytes));
        delete used;
    };
    return {chunk.release(), give_back};
}

void Holding::came(std::size_t size) {
    coming_size_ += size;
    grown.notify();
}

std::size_t Holding::space_left() const {
    const bool here = coming_ && !coming_->place.file;
    return finished_ || here || packed_ ? 0 : shape_.size_of(chunks()) - coming_size_;
}

void Holding::came_to(const FilePlace& place, std::size_t size, bool zeros) {
    if (!coming_) coming_ = std::make_shared<Chunk>();
    coming_->place = place;
    std::vector<Stretch>& stretches = coming_->stretches;
    if (stretches.empty() || stretches.back().zeros != zeros) stretches.push_back({coming_size_, zeros});
    stretches.back().end += size;
    came(size);
}

void Holding::tell() {
    changed.notify();
    grown.notify();
}

Result<void> Holding::seal(std::string_view digest, std::size_t packed_from) {
    if (finished_ || coming_size_ == 0 || packed_ != (packed_from > 0))
        return invalid("a peer sent an empty chunk");
    if (!coming_->place.file) coming_->bytes.resize(coming_size_);
    coming_size_ = 0;
    coming_->digest = digest;
    coming_->packed_from = packed_from;
    packed_ = false;
    return add(std::exchange(coming_, nullptr));
}

// Where the size is not known, a short chunk is the last one.
Result<void> Holding::add(std::shared_ptr<const Chunk> chunk) {
    const std::size_t size = chunk->size_in_object();
    const bool known = shape_.in_manifest(chunks()) || shape_.content_bytes;
    const bool fits = known ? size == shape_.size_of(chunks())
                            : last_size_ == chunk_size || shape_.in_manifest(chunks() - 1);
    if (finished_ || size == 0 || size > chunk_size || !fits)
        return invalid("a peer sent a chunk of a wrong size");
    last_size_ = size;
    digests_.push_back(chunk->digest);
    recent_[chunks() - 1] = std::move(chunk);
    tell();
    return {};
}

Result<void> Holding::finish() {
    const auto all = shape_.chunks();
    const bool right = coming_size_ == 0 && (all ? chunks() == *all : chunks() >= shape_.manifest_chunks());
    if (!right) return invalid("a peer ended the object too soon");
    finished_ = true;
    tell();
    return {};
}

void Holding::stored_before(ChunkNumber chunk) {
    stored_ = std::max(stored_, chunk);
    while (recent_.size() > kept_ && recent_.begin()->first < stored_)
        recent_.erase(recent_.begin());
    tell();
}

void Holding::begin_again() {
    coming_.reset();
    coming_size_ = 0;
    packed_ = false;
}

void Holding::rewind(ChunkNumber chunk) {
    recent_.erase(recent_.lower_bound(chunk), recent_.end());
    digests_.resize(std::min<std::size_t>(digests_.size(), chunk));
    begin_again();
    last_size_ = chunk_size;
    finished_ = false;
    tell();
}

void Holding::go_on_from(std::vector<Digest> digests) {
    digests_ = std::move(digests);
    stored_ = digests_.size();
    if (stored_ > 0) last_size_ = shape_.size_of(stored_ - 1);
    changed.notify();
}

void Holding::beat(std::uint64_t pulse) {
    pulse_ = std::max(pulse_, pulse);
    tell();
}

void Holding::stop(const Failure& why) {
    if (!stopped_) stopped_ = why;
    tell();
}

std::shared_ptr<const Chunk> Holding::recent(ChunkNumber chunk) const {
    const auto found = recent_.find(chunk);
    return found == recent_.end() ? nullptr : found->second;
}

std::uint64_t Holding::content_bytes() const {
    if (chunks() <= shape_.manifest_chunks()) return 0;
    return shape_.begin_of(chunks() - 1) + last_size_;
}

void Holding::want(ChunkNumber chunk) {
    if (chunk <= wanted_) return;
    wanted_ = chunk;
    tell();
}

}  // namespace trellis::plugins::bcast
