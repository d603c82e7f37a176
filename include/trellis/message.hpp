// encode() and decode(): values to bytes and back, for frame bodies and plugin messages (cereal `serialize`
// members). Little-endian, sizes as 32-bit counts. decode() is safe on hostile bytes: it checks every size
// against the bytes that are left, so that a message never allocates more than a small multiple of its own
// length.
#pragma once

#include "trellis/result.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <cereal/cereal.hpp>
#include <cereal/types/array.hpp>
#include <cereal/types/chrono.hpp>
#include <cereal/types/map.hpp>
#include <cereal/types/optional.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/utility.hpp>
#include <cereal/types/variant.hpp>
#include <cereal/types/vector.hpp>

namespace trellis {

static_assert(std::endian::native == std::endian::little, "the byte format is little-endian");

class MessageWriter : public cereal::OutputArchive<MessageWriter, cereal::AllowEmptyClassElision> {
  public:
    MessageWriter() : OutputArchive(this) {}
    void write(const void* bytes, std::size_t size) { text_.append(static_cast<const char*>(bytes), size); }
    std::string take() { return std::move(text_); }

  private:
    std::string text_;
};

class MessageReader : public cereal::InputArchive<MessageReader, cereal::AllowEmptyClassElision> {
  public:
    explicit MessageReader(std::string_view bytes) : InputArchive(this), left_(bytes) {}
    void read(void* to, std::size_t size) {
        if (size > left_.size()) throw cereal::Exception("message ends early");
        left_.copy(static_cast<char*>(to), size);  // also right for no bytes at all
        left_.remove_prefix(size);
    }
    // A container of `count` elements needs at least as many bytes.
    void check_count(std::uint64_t count) const {
        if (count > left_.size()) throw cereal::Exception("count exceeds the message");
    }
    [[nodiscard]] bool at_end() const { return left_.empty(); }

  private:
    std::string_view left_;
};

template <class T>
requires std::is_arithmetic_v<T>
void CEREAL_SAVE_FUNCTION_NAME(MessageWriter& writer, const T& value) {
    writer.write(&value, sizeof value);
}
template <class T>
requires std::is_arithmetic_v<T>
void CEREAL_LOAD_FUNCTION_NAME(MessageReader& reader, T& value) {
    if constexpr (std::is_same_v<T, bool>) {  // any other byte in a bool would be undefined behaviour
        std::uint8_t byte = 0;
        reader.read(&byte, 1);
        value = byte != 0;
    } else {
        reader.read(&value, sizeof value);
    }
}
template <class T>
void CEREAL_SERIALIZE_FUNCTION_NAME(MessageWriter& writer, cereal::NameValuePair<T>& pair) {
    writer(pair.value);
}
template <class T>
void CEREAL_SERIALIZE_FUNCTION_NAME(MessageReader& reader, cereal::NameValuePair<T>& pair) {
    reader(pair.value);
}
template <class T>
void CEREAL_SAVE_FUNCTION_NAME(MessageWriter& writer, const cereal::SizeTag<T>& tag) {
    writer(static_cast<std::uint32_t>(tag.size));
}
template <class T>
void CEREAL_LOAD_FUNCTION_NAME(MessageReader& reader, cereal::SizeTag<T>& tag) {
    std::uint32_t count = 0;
    reader(count);
    reader.check_count(count);
    tag.size = count;
}
template <class T>
void CEREAL_SAVE_FUNCTION_NAME(MessageWriter& writer, const cereal::BinaryData<T>& data) {
    writer.write(data.data, static_cast<std::size_t>(data.size));
}
template <class T>
void CEREAL_LOAD_FUNCTION_NAME(MessageReader& reader, cereal::BinaryData<T>& data) {
    reader.read(data.data, static_cast<std::size_t>(data.size));
}

template <class T>
[[nodiscard]] std::string encode(const T& value) {
    MessageWriter writer;
    writer(value);
    return writer.take();
}

// The value that `bytes` holds, all of them; a Failure of kind invalid if they are malformed.
template <class T>
[[nodiscard]] Result<T> decode(std::string_view bytes) {
    T value{};
    try {
        MessageReader reader(bytes);
        reader(value);
        if (reader.at_end()) return value;
    } catch (const std::exception&) {
        return Failure{FailureKind::invalid, "decode message", "", "malformed bytes"};
    }
    return Failure{FailureKind::invalid, "decode message", "", "bytes left over"};
}

}  // namespace trellis

CEREAL_REGISTER_ARCHIVE(trellis::MessageWriter)
CEREAL_REGISTER_ARCHIVE(trellis::MessageReader)
CEREAL_SETUP_ARCHIVE_TRAITS(trellis::MessageReader, trellis::MessageWriter)
