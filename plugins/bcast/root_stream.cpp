#include "plugins/bcast/root_stream.hpp"

#include "trellis/message.hpp"

#include <utility>

namespace trellis::plugins::bcast {

// The root ends its stream over the tree when it has been asked here.
Task<void> RootStream::take_over(std::shared_ptr<ByteStream> connection) {
    connection->gather(gathering_);
    connection_ = connection;
    (void)co_await connection->write(request_);
}

Task<Result<void>> RootStream::write(std::string request) {
    request_ = std::move(request);
    const Result<Position> from = decode<Position>(request_);
    const ToRoot ask = Ask{from.value(), number_, by_tree_};
    context_.send(root_id, encode(ask));
    co_return Result<void>();
}

Task<Result<std::string>> RootStream::read() {
    return context_.read(number_);
}

Task<Result<std::size_t>> RootStream::read_into(std::span<char> space) {
    if (!connection_) {
        const Result<std::size_t> size = co_await ByteStream::read_into(space);
        const bool ended = size && *size == 0;
        if (!ended || !connection_) co_return size;
    }
    const auto connection = connection_;
    co_return co_await connection->read_into(space);
}

Task<Result<std::unique_ptr<Haul>>> RootStream::pull(std::size_t size) {
    const auto connection = connection_;
    if (connection) co_return co_await connection->pull(size);
    co_return co_await ByteStream::pull(size);
}

void RootStream::close() {
    if (connection_) connection_->close();
}

}  // namespace trellis::plugins::bcast
