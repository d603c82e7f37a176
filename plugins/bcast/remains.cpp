#include "plugins/bcast/remains.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace trellis::plugins::bcast {
namespace {

constexpr std::string_view title = "trellis bcast 1\n";
constexpr std::size_t size_digits = 16;  // of the manifest, hexadecimal
constexpr std::size_t list_header_size = title.size() + size_digits;

std::string header_of(std::uint64_t manifest_bytes) {
    std::string header(title);
    for (int shift = 60; shift >= 0; shift -= 4)
        header += "0123456789abcdef"[manifest_bytes >> shift & 0xf];
    return header;
}

std::uint64_t size_in(std::string_view header) {
    std::uint64_t size = 0;
    for (const char digit : header.substr(title.size()))
        size = size << 4 | std::string_view("0123456789abcdef").find(digit) % 16;
    return size;
}

}  // namespace

// Without a chunk of the contents there is nothing to go on from.
Remains::~Remains() {
    if (!list_) return;
    const bool some = std::max<ChunkNumber>(added_, listed_.size()) > about_.shape.manifest_chunks();
    if (some && !staging_.committed())
        staging_.keep();
    else
        (void)files_.remove(path());
}

Result<void> Remains::open() {
    auto file = files_.create(path());
    if (!file) {
        const Result<Footprint> found = files_.footprint(path());
        if (!found) return file.error();
        if (!found->own) return Failure{FailureKind::refused, "", "", path() + ": it is not yours"};
        file = files_.open_to_write(path());
        if (!file) return file.error();
    }
    if (!(*file)->claim()) return unavailable(path() + ": another bcast is at it");
    list_ = std::move(*file);
    return read();
}

Result<void> Remains::read() {
    const Result<std::string> header = list_->read(0, list_header_size);
    if (!header) return header.error();
    if (header->size() < list_header_size || !header->starts_with(title)) return {};
    const std::uint64_t size = size_in(*header);
    if (size > most_manifest_bytes) return {};
    Result<std::string> text = list_->read(list_header_size, static_cast<std::size_t>(size));
    if (!text) return text.error();
    Result<Manifest> manifest = decode<Manifest>(*text);
    if (!manifest || !validate(*manifest, manifest->content_bytes())) return {};
    Result<void> known = staging_.know(std::move(*manifest));
    if (!known) return known;
    manifest_ = std::move(*text);
    if (digest_of(manifest_) == about_.identity) return read_digests();
    other_source_ = true;
    return drop();
}

Result<void> Remains::read_digests() {
    const Shape& shape = about_.shape;
    for (std::uint64_t at = 0; at < manifest_.size(); at += chunk_size)
        listed_.push_back(digest_of(std::string_view(manifest_).substr(at, chunk_size)));
    const std::size_t most =
        static_cast<std::size_t>(*shape.chunks() - shape.manifest_chunks()) * digest_size;
    const Result<std::string> digests = list_->read(place_of(shape.manifest_chunks()), most);
    if (!digests) return digests.error();
    for (std::size_t at = 0; at + digest_size <= digests->size(); at += digest_size)
        listed_.push_back(digests->substr(at, digest_size));
    return {};
}

Result<void> Remains::drop() {
    staging_.discard();
    manifest_.clear();
    listed_.clear();
    added_ = 0;
    return list_->resize(0);
}

std::uint64_t Remains::place_of(ChunkNumber chunk) const {
    return list_header_size + manifest_.size() + (chunk - about_.shape.manifest_chunks()) * digest_size;
}

Result<void> Remains::begin(const std::string& manifest) {
    manifest_ = manifest;
    return list_->write(0, header_of(manifest.size()) + manifest);
}

Result<void> Remains::add(ChunkNumber chunk, const Digest& digest) {
    added_ = chunk + 1;
    return list_->write(place_of(chunk), digest);
}

}  // namespace trellis::plugins::bcast
