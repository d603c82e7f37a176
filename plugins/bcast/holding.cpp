#include "plugins/bcast/holding.hpp"

#include <algorithm>
#include <utility>

namespace trellis::plugins::bcast {

Result<void> Holding::append(std::string_view bytes) {
    if (finished_ || coming_.size() + bytes.size() > shape_.size_of(chunks()))
        return invalid("a peer sent more than the object has");
    if (coming_.empty()) coming_.reserve(shape_.size_of(chunks()));
    coming_.append(bytes);
    changed.notify();
    return {};
}

// Where the size is not known, a short chunk is the last one.
Result<void> Holding::seal(std::string_view digest) {
    const bool known = shape_.in_manifest(chunks()) || shape_.content_bytes;
    const bool fits = known ? coming_.size() == shape_.size_of(chunks())
                            : last_size_ == chunk_size || shape_.in_manifest(chunks() - 1);
    if (finished_ || coming_.empty() || !fits) return invalid("a peer sent a chunk of a wrong size");
    last_size_ = coming_.size();
    recent_[chunks()] = std::make_shared<Chunk>(Chunk{std::exchange(coming_, {}), Digest(digest)});
    digests_.emplace_back(digest);
    changed.notify();
    return {};
}

Result<void> Holding::finish() {
    const auto all = shape_.chunks();
    const bool right = coming_.empty() && (all ? chunks() == *all : chunks() >= shape_.manifest_chunks());
    if (!right) return invalid("a peer ended the object too soon");
    finished_ = true;
    changed.notify();
    return {};
}

Result<void> Holding::add(const Chunk& chunk) {
    coming_ = chunk.bytes;
    return seal(chunk.digest);
}

void Holding::stored_before(ChunkNumber chunk) {
    stored_ = std::max(stored_, chunk);
    while (recent_.size() > kept_ && recent_.begin()->first < stored_)
        recent_.erase(recent_.begin());
    changed.notify();
}

void Holding::rewind(ChunkNumber chunk) {
    recent_.erase(recent_.lower_bound(chunk), recent_.end());
    digests_.resize(std::min<std::size_t>(digests_.size(), chunk));
    coming_.clear();
    last_size_ = chunk_size;
    finished_ = false;
    changed.notify();
}

void Holding::beat(std::uint64_t pulse) {
    pulse_ = std::max(pulse_, pulse);
    changed.notify();
}

void Holding::stop(const Failure& why) {
    if (!stopped_) stopped_ = why;
    changed.notify();
}

std::shared_ptr<const Chunk> Holding::recent(ChunkNumber chunk) const {
    const auto found = recent_.find(chunk);
    return found == recent_.end() ? nullptr : found->second;
}

Digest Holding::digest_of_all() const {
    std::string all;
    for (const Digest& digest : digests_)
        all += digest;
    return digest_of(all);
}

std::uint64_t Holding::content_bytes() const {
    if (chunks() <= shape_.manifest_chunks()) return 0;
    return shape_.begin_of(chunks() - 1) + last_size_;
}

void Holding::want(ChunkNumber chunk) {
    if (chunk <= wanted_) return;
    wanted_ = chunk;
    changed.notify();
}

}  // namespace trellis::plugins::bcast
