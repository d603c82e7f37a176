#include "agentd/core/frame_codec.hpp"

#include <array>
#include <cstring>
#include <stdexcept>

namespace trellis {

namespace {

constexpr std::uint8_t multicast_flag = 1;
constexpr std::uint8_t bulk_flag = 2;

struct Header {
    std::uint32_t length;
    std::uint8_t type;
    std::uint8_t flags;
    std::uint16_t zero;
    std::uint32_t source;
    std::uint32_t destination;
    std::uint32_t operation;
    std::uint32_t stream;
    std::uint32_t sequence;
};
static_assert(sizeof(Header) == frame_header_size);

std::string malformed(const Header& header) {
    if (header.length > max_frame_body)
        return "frame body of " + std::to_string(header.length) + " bytes exceeds the limit";
    if (header.type == 0 || header.type > last_frame_type)
        return "unknown frame type " + std::to_string(header.type);
    if ((header.flags & ~(multicast_flag | bulk_flag)) != 0 || header.zero != 0) return "unknown frame flags";
    return "";
}

}  // namespace

void append_frame(std::string& to, const Frame& frame) {
    if (frame.body.size() > max_frame_body) throw std::logic_error("frame body exceeds the limit");
    Header header{};
    header.length = static_cast<std::uint32_t>(frame.body.size());
    header.type = static_cast<std::uint8_t>(frame.type);
    header.flags =
        static_cast<std::uint8_t>((frame.multicast ? multicast_flag : 0) | (frame.bulk ? bulk_flag : 0));
    header.source = static_cast<std::uint32_t>(frame.source);
    header.destination = static_cast<std::uint32_t>(frame.destination);
    header.operation = static_cast<std::uint32_t>(frame.operation);
    header.stream = frame.stream;
    header.sequence = frame.sequence;
    std::array<char, frame_header_size> raw{};
    std::memcpy(raw.data(), &header, raw.size());
    to.append(raw.data(), raw.size());
    to.append(frame.body);
}

void FrameDecoder::feed(std::string_view bytes) {
    if (!error_.empty()) return;
    if (begin_ == bytes_.size()) {
        bytes_.clear();
        begin_ = 0;
    } else if (begin_ > bytes_.size() / 2) {
        bytes_.erase(0, begin_);
        begin_ = 0;
    }
    bytes_.append(bytes);
}

Result<std::optional<Frame>> FrameDecoder::fail(std::string cause) {
    error_ = std::move(cause);
    bytes_.clear();
    begin_ = 0;
    return Failure{FailureKind::invalid, "read frame", "", error_};
}

Result<std::optional<Frame>> FrameDecoder::next() {
    if (!error_.empty()) return fail(error_);
    if (bytes_.size() - begin_ < frame_header_size) return std::optional<Frame>{};
    Header header{};
    std::memcpy(&header, bytes_.data() + begin_, sizeof header);
    std::string wrong = malformed(header);
    if (!wrong.empty()) return fail(std::move(wrong));
    if (bytes_.size() - begin_ - frame_header_size < header.length) return std::optional<Frame>{};
    Frame frame;
    frame.type = static_cast<FrameType>(header.type);
    frame.multicast = (header.flags & multicast_flag) != 0;
    frame.bulk = (header.flags & bulk_flag) != 0;
    frame.source = HostId{header.source};
    frame.destination = HostId{header.destination};
    frame.operation = OperationId{header.operation};
    frame.stream = header.stream;
    frame.sequence = header.sequence;
    frame.body = bytes_.substr(begin_ + frame_header_size, header.length);
    begin_ += frame_header_size + header.length;
    return std::optional<Frame>{std::move(frame)};
}

}  // namespace trellis
