// Record: what goes over a stream from the host that has the object to the one that gets it. A byte for the
// kind, four for the length (little-endian), the bytes. Pure: they neither send nor wait.
#pragma once

#include "trellis/result.hpp"

#include "plugins/bcast/object.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace trellis::plugins::bcast {

enum class RecordKind : std::uint8_t {
    data = 1,    // bytes of the current chunk
    digest,      // the end of a chunk
    heartbeat,   // nothing to send now: the pulse of the source, eight bytes, little-endian
    end,         // of the object
    stop,        // there will be no more: the cause in words
    zeros,       // in place of data: how many, four bytes, little-endian
    packed,      // bytes of the current chunk, which is packed
    packed_end,  // the end of such a chunk: its digest, and its size when unpacked, four bytes
    again        // the current chunk comes anew from its beginning
};

[[nodiscard]] std::string record(RecordKind kind, std::string_view bytes = {});
// What stands before the bytes of one.
[[nodiscard]] std::string record_header(RecordKind kind, std::size_t size);

// Of data: so many zeros.
[[nodiscard]] std::string zeros_record(std::size_t size);
// The end of a chunk.
[[nodiscard]] std::string end_record(const Chunk& chunk);

struct Record {
    RecordKind kind{};
    std::string_view bytes;  // of data and packed perhaps only a part, of zeros these; valid until feed()
};

class RecordReader {
  public:
    // Only when next() has given nothing.
    void feed(std::string bytes);
    // The next record, or what there is of the bytes of one; nothing if more must be fed. Failure (invalid):
    // malformed, and then always.
    [[nodiscard]] Result<std::optional<Record>> next();
    // When next() has given nothing: how many bytes of a data record come next.
    [[nodiscard]] std::size_t data_left() const { return data_left_; }
    [[nodiscard]] bool data_packed() const { return data_kind_ == RecordKind::packed; }
    // The least that must be fed until next() can give something.
    [[nodiscard]] std::size_t lacking() const;
    // So many of them have been taken without feed().
    void took(std::size_t size) { data_left_ -= size; }

  private:
    std::string buffer_;
    std::size_t at_ = 0;
    std::size_t data_left_ = 0;  // of the data record that has begun
    RecordKind data_kind_ = RecordKind::data;
};

}  // namespace trellis::plugins::bcast
