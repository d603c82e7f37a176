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
    const auto connection = connection_;
    if (!connection->open(side_)) co_return Failure{FailureKind::lost, "write", "", "closed"};
    for (std::size_t at = 0; at < bytes.size(); at += most_stream_piece)
        connection->send(side_, bytes.substr(at, most_stream_piece));
    co_await connection->drained(side_);
    co_return Result<void>{};
}

}  // namespace trellis::sim
