#include "tests/sim/sim_link.hpp"

#include "agentd/core/frame_codec.hpp"

#include <utility>

namespace trellis::sim {

void SimLink::send(Frame frame) {
    const bool bulk = frame.bulk;
    connection_->send(side_, std::move(frame), bulk);
}

Task<Result<Frame>> SimLink::receive() {
    const auto connection = connection_;  // the link may be destroyed meanwhile
    Result<Parcel> parcel = co_await connection->receive(side_);
    if (!parcel) co_return parcel.error();
    if (auto* frame = std::get_if<Frame>(&*parcel)) co_return std::move(*frame);
    FrameDecoder decoder;
    decoder.feed(std::get<std::string>(*parcel));
    Result<std::optional<Frame>> frame = decoder.next();
    if (!frame) co_return frame.error();
    if (!*frame) co_return Failure{FailureKind::invalid, "receive", "", "an unfinished frame"};
    co_return std::move(**frame);
}

Task<Result<std::string>> SimByteStream::read() {
    const auto connection = connection_;
    Result<Parcel> parcel = co_await connection->receive(side_);
    if (parcel) co_return std::move(std::get<std::string>(*parcel));
    if (parcel.error().cause == "end of file") co_return std::string();
    co_return parcel.error();
}

Task<Result<void>> SimByteStream::write(std::string bytes) {
    const std::string_view whole = bytes;
    co_return co_await write_parts({&whole, 1});
}

Task<Result<void>> SimByteStream::write_parts(std::span<const std::string_view> parts) {
    const auto connection = connection_;
    if (!connection->open(side_)) co_return Failure{FailureKind::lost, "write", "", "closed"};
    std::string piece;
    for (std::string_view part : parts) {
        while (!part.empty()) {
            const std::string_view taken = part.substr(0, most_stream_piece - piece.size());
            piece += taken;
            part.remove_prefix(taken.size());
            if (piece.size() == most_stream_piece) connection->send(side_, std::exchange(piece, {}));
        }
    }
    if (!piece.empty()) connection->send(side_, std::move(piece));
    co_await connection->drained(side_);
    co_return Result<void>{};
}

}  // namespace trellis::sim
