#include "plugins/bcast/record.hpp"

#include "trellis/message.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace trellis::plugins::bcast {
namespace {

constexpr std::size_t header_size = 5;
constexpr std::size_t most_words = 1000;  // of a cause

bool allowed(RecordKind kind, std::size_t size) {
    switch (kind) {
        case RecordKind::data:
        case RecordKind::packed:
            return size > 0 && size <= chunk_size;
        case RecordKind::digest:
            return size == digest_size;
        case RecordKind::heartbeat:
            return size == sizeof(std::uint64_t);
        case RecordKind::packed_end:
            return size == digest_size + sizeof(std::uint32_t);
        case RecordKind::again:
        case RecordKind::end:
            return size == 0;
        case RecordKind::stop:
            return size <= most_words;
        case RecordKind::zeros:
            return size == sizeof(std::uint32_t);
    }
    return false;
}

// Of the bytes behind this header.
std::size_t body_size(std::string_view header) {
    std::size_t size = 0;
    for (std::size_t i = 4; i > 0; --i)
        size = size << 8 | static_cast<std::uint8_t>(header[i]);
    return size;
}

Result<std::optional<Record>> zeros_of(std::string_view count) {
    static const std::string zeros(chunk_size, '\0');
    const auto size = decode<std::uint32_t>(count);
    if (!size || *size == 0 || *size > chunk_size) return invalid("malformed bytes from a peer");
    return Record{RecordKind::zeros, std::string_view(zeros).substr(0, *size)};
}

}  // namespace

std::string record(RecordKind kind, std::string_view bytes) {
    if (kind == RecordKind::stop) bytes = bytes.substr(0, most_words);
    return record_header(kind, bytes.size()).append(bytes);
}

std::string record_header(RecordKind kind, std::size_t size) {
    std::string text(1, static_cast<char>(kind));
    for (int shift = 0; shift < 32; shift += 8)
        text.push_back(static_cast<char>(size >> shift & 0xff));
    return text;
}

std::string zeros_record(std::size_t size) {
    return record(RecordKind::zeros, encode(static_cast<std::uint32_t>(size)));
}

std::string end_record(const Chunk& chunk) {
    if (chunk.packed_from == 0) return record(RecordKind::digest, chunk.digest);
    return record(RecordKind::packed_end,
                  chunk.digest + encode(static_cast<std::uint32_t>(chunk.packed_from)));
}

void RecordReader::feed(std::string bytes) {
    if (at_ == buffer_.size()) {
        buffer_ = std::move(bytes);
    } else {
        buffer_ = buffer_.substr(at_) + bytes;
    }
    at_ = 0;
}

std::size_t RecordReader::lacking() const {
    const std::string_view left = std::string_view(buffer_).substr(at_);
    if (left.size() < header_size) return header_size - left.size();
    return header_size + body_size(left) - left.size();
}

Result<std::optional<Record>> RecordReader::next() {
    std::string_view left = std::string_view(buffer_).substr(at_);
    if (data_left_ > 0) {
        if (left.empty()) return std::nullopt;
        const std::string_view piece = left.substr(0, data_left_);
        at_ += piece.size();
        data_left_ -= piece.size();
        return Record{data_kind_, piece};
    }
    if (left.size() < header_size) return std::nullopt;
    const auto kind = static_cast<RecordKind>(left[0]);
    const std::size_t size = body_size(left);
    if (!allowed(kind, size)) return invalid("malformed bytes from a peer");
    if (kind == RecordKind::data || kind == RecordKind::packed) {
        data_kind_ = kind;
        at_ += header_size;
        data_left_ = size;
        return next();
    }
    if (left.size() < header_size + size) return std::nullopt;
    at_ += header_size + size;
    if (kind == RecordKind::zeros) return zeros_of(left.substr(header_size, size));
    return Record{kind, left.substr(header_size, size)};
}

}  // namespace trellis::plugins::bcast
