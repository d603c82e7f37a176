#include "plugins/bcast/service.hpp"

#include "trellis/message.hpp"

#include "plugins/bcast/messages.hpp"

#include <string>
#include <utility>

namespace trellis::plugins::bcast {
namespace {

constexpr std::size_t most_members = 2048;  // of the crew: two for each host that is served at once

}  // namespace

Endpoint Service::open() {
    auto listener = context_.world().network.listen(context_.peers());
    if (!listener) return {};
    listener_ = std::move(*listener);
    crew_.add(accept_all());
    return listener_->endpoint();
}

std::optional<std::uint64_t> Service::ahead() const {
    std::optional<std::uint64_t> least;
    for (const auto& served : served_) {
        const auto stream = served.lock();
        const auto bytes = stream ? stream->undelivered() : std::nullopt;
        if (bytes && (!least || *bytes < *least)) least = bytes;
    }
    return least;
}

Task<void> Service::accept_all() {
    while (true) {
        Result<Network::Incoming> incoming = co_await listener_->accept();
        if (!incoming) co_return;
        if (crew_.size() < most_members) crew_.add(serve(std::move(*incoming)));
    }
}

Task<void> Service::serve(Network::Incoming incoming) {
    const std::shared_ptr<ByteStream> stream = std::move(incoming.stream);
    if (incoming.peer == root_id) co_return co_await on_root_(stream);
    const std::string request = co_await read_first(*stream, request_size);
    const auto from = decode<Position>(request);
    if (!from || from->offset > chunk_size) co_return;
    crew_.add(close_when_left(stream));
    std::erase_if(served_, [](const auto& served) { return served.expired(); });
    served_.push_back(stream);
    if (link_) stream->keep_below_link(*link_);
    FeederParts parts;
    parts.sent = &sent_;
    parts.write = [stream](Parts bytes) { return stream->write_parts(bytes); };
    parts.write_file = [stream](std::string_view head, OpenFile& file, std::uint64_t offset,
                                std::size_t size) { return stream->write_file(head, file, offset, size); };
    parts.read_again = read_again_;
    Feeder feeder(holding_, context_.world().clock, std::move(parts), *from);
    (void)co_await feeder.run();
    stream->close();
}

}  // namespace trellis::plugins::bcast
